package io.weft.core;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/**
 * Checks TeraSort data without any engine: every part is there and holds whole records, the rows are in order
 * within and across parts (by part number, not name), and their count, the sum of their CRC32 and that of their hashes are
 * the generator's. {@code --order none} leaves out the order, for inputs.
 */
public final class TeraValidate extends Program {
    @Option(names = "--input", required = true)
    private String input;

    @Option(names = "--rows", required = true)
    @Bounds(min = 0)
    private long rows;

    @Option(names = "--checksum", required = true)
    private String checksum;

    @Option(names = "--hash")
    private String hash = "";

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    @Option(names = "--order")
    private Order order = Order.KEY;

    /** Which order the rows must have. */
    enum Order {
        /** By key. */
        KEY,
        /** Any. */
        NONE
    }

    /** The generator's number of rows, the sum of their CRC32, and that of their hashes, or nothing. */
    record Expected(long rows, String checksum, String hash) {
    }

    public static void main(String[] args) {
        main(new TeraValidate(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        validate(input, new Expected(rows, checksum, hash), order == Order.KEY, threads, outcome);
    }

    /** Puts what the directory holds into the outcome, and each difference from what is expected as a problem. */
    static void validate(String input, Expected expected, boolean ordered, int threads, Outcome outcome)
            throws Exception {
        TreeMap<Integer, Store.Input> parts = PartFiles.in(input);
        int gap = PartFiles.gap(parts);
        if (gap >= 0) {
            outcome.problem("part " + gap + " is missing in " + input);
        }
        long began = System.nanoTime();
        List<TeraScan> scans = scan(parts, threads);
        RecordSum sum = new RecordSum();
        long count = 0;
        for (TeraScan scan : scans) {
            sum.add(scan.sum);
            count += scan.rows;
        }
        if (ordered) {
            order(scans, outcome);
        }
        outcome.same("row count", count, expected.rows());
        outcome.same("checksum", sum.checksum(), expected.checksum());
        if (!expected.hash().isEmpty()) {
            outcome.same("hash", sum.hash(), expected.hash());
        }
        outcome.put("rows", count).put("bytes", count * TeraRecord.LENGTH).put("checksum", sum.checksum())
                .put("parts", parts.size()).put("seconds", (System.nanoTime() - began) / 1e9);
    }

    private static List<TeraScan> scan(TreeMap<Integer, Store.Input> parts, int threads) throws Exception {
        Progress progress = new Progress(bytes(parts));
        List<Callable<TeraScan>> tasks = new ArrayList<>();
        parts.values().forEach(file -> tasks.add(() -> TeraScan.of(file, progress)));
        return Parallel.run(threads, tasks);
    }

    private static long bytes(TreeMap<Integer, Store.Input> parts) {
        return parts.values().stream().mapToLong(Store.Input::length).sum();
    }

    /** Reports the first row out of order, and counts the rows whose key equals their predecessor's. */
    private static void order(List<TeraScan> scans, Outcome outcome) {
        long duplicates = 0;
        TeraScan before = null;
        String fault = null;
        for (TeraScan scan : scans) {
            duplicates += scan.duplicates;
            if (scan.rows > 0) {
                int step = before == null ? -1 : TeraRecord.compare(
                        before.lastPrefix, before.lastSuffix, scan.firstPrefix, scan.firstSuffix);
                duplicates += step == 0 ? 1 : 0;
                if (fault == null && step > 0) {
                    fault = "order is broken between " + before.file + " and " + scan.file;
                } else if (fault == null && scan.misordered >= 0) {
                    fault = "order is broken in " + scan.file + " at row " + scan.misordered;
                }
                before = scan;
            }
        }
        if (fault != null) {
            outcome.problem(fault);
        }
        outcome.put("duplicate_keys", duplicates);
    }
}
