package io.weft.core;

import java.io.PrintStream;

/** Prints {@code progress: <done> <total>} lines, at most four a second and always the last. Thread-safe. */
public final class Progress {
    private static final long GAP_NANOS = 250_000_000L;

    private final PrintStream out;
    private long total;
    private long done;
    private long last = System.nanoTime() - GAP_NANOS;

    /** Progress towards a total, on standard error. */
    public Progress(long total) {
        this(total, System.err);
    }

    Progress(long total, PrintStream out) {
        this.total = total;
        this.out = out;
    }

    /** More work has become known. */
    public synchronized void expect(long more) {
        total += more;
    }

    /** Some work is done. */
    public synchronized void add(long amount) {
        done += amount;
        long now = System.nanoTime();
        if (done >= total || now - last >= GAP_NANOS) {
            last = now;
            out.println("progress: " + done + " " + total);
        }
    }
}
