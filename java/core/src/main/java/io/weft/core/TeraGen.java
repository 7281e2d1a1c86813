package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Writes Hadoop's TeraGen rows into part files: part i of P holds the rows [i*N/P, (i+1)*N/P), so the bytes
 * depend neither on threads nor on which process wrote which part. Seed 0 gives Hadoop's rows; seed S starts at
 * row S * 2^40 of the same sequence, so that seeds never share a row.
 */
public final class TeraGen extends Program {
    /** Rows from one seed to the next; also the most rows one seed gives. */
    public static final long ROWS_PER_SEED = 1L << 40;
    static final int MAX_SEED = 1 << 22;
    /** Rows a buffer holds: 256 kB, to stay in a core's own cache between filling and writing. */
    private static final int BATCH = 2560;

    @Option(names = "--rows", required = true)
    @Bounds(min = 0, max = ROWS_PER_SEED)
    private long rows;

    @Option(names = "--seed")
    @Bounds(min = 0, max = MAX_SEED)
    private int seed;

    @Mixin
    private PartRange range;

    public static void main(String[] args) {
        main(new TeraGen(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        long first = seed * ROWS_PER_SEED;
        List<PartRange.Part> parts = range.of(rows);
        long count = range.count(rows);
        Progress progress = new Progress(count);
        List<Callable<RecordSum>> tasks = new ArrayList<>();
        for (PartRange.Part part : parts) {
            tasks.add(() -> write(part.file(), first + part.first(), part.end() - part.first(), progress));
        }
        long began = System.nanoTime();
        RecordSum sum = new RecordSum();
        Parallel.run(range.threads, tasks).forEach(sum::add);
        double seconds = (System.nanoTime() - began) / 1e9;
        outcome.put("rows", count).put("bytes", count * TeraRecord.LENGTH).put("checksum", sum.checksum())
                .put("hash", sum.hash())                .put("parts", parts.size()).put("threads", range.threads).put("seconds", seconds);
    }

    /** Writes rows to a file and gives their sum. */
    static RecordSum write(String file, long first, long rows, Progress progress) throws IOException {
        TeraRows generator = new TeraRows(first);
        RecordSum sum = new RecordSum();
        byte[] bytes = new byte[BATCH * TeraRecord.LENGTH];
        try (Store.Writer out = Store.of(file).create(file)) {
            for (long rest = rows; rest > 0;) {
                int batch = (int) Math.min(BATCH, rest);
                fill(generator, bytes, batch, sum);
                out.write(bytes, batch * TeraRecord.LENGTH);
                rest -= batch;
                progress.add(batch);
            }
        }
        return sum;
    }

    private static void fill(TeraRows generator, byte[] bytes, int batch, RecordSum sum) {
        for (int i = 0; i < batch; i++) {
            generator.next(bytes, i * TeraRecord.LENGTH);
            sum.add(bytes, i * TeraRecord.LENGTH);
        }
    }
}
