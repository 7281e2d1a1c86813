package io.weft.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/**
 * Checks sorted lines without any engine: every part is there, the lines are in order within and across parts (by part
 * number, not name), and their count and the sum of their CRC32 are the generator's.
 */
public final class SortValidate extends Program {
    @Option(names = "--input", required = true)
    private String input;

    @Option(names = "--lines", required = true)
    @Bounds(min = 0)
    private long lines;

    @Option(names = "--checksum", required = true)
    private String checksum;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    public static void main(String[] args) {
        main(new SortValidate(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        TreeMap<Integer, Store.Input> parts = PartFiles.in(input);
        int gap = PartFiles.gap(parts);
        if (gap >= 0) {
            outcome.problem("part " + gap + " is missing in " + input);
        }
        long bytes = 0;
        for (Store.Input file : parts.values()) {
            bytes += file.length();
        }
        Progress progress = new Progress(bytes);
        List<Callable<LineScan>> tasks = new ArrayList<>();
        parts.values().forEach(file -> tasks.add(() -> LineScan.of(file, progress)));
        LineSum sum = new LineSum();
        LineScan before = null;
        for (LineScan scan : Parallel.run(threads, tasks)) {
            sum.add(scan.sum);
            order(before, scan, outcome);
            before = scan.first == null ? before : scan;
        }
        outcome.same("line count", sum.lines(), lines);
        outcome.same("checksum", sum.hex(), checksum);
        sum.report(outcome);
        outcome.put("parts", parts.size());
    }

    private static void order(LineScan before, LineScan scan, Outcome outcome) {
        if (before != null && scan.first != null && Arrays.compareUnsigned(before.last, scan.first) > 0) {
            outcome.problem("order is broken between " + before.file + " and " + scan.file);
        }
        if (scan.misordered >= 0) {
            outcome.problem("order is broken in " + scan.file + " at line " + scan.misordered);
        }
    }
}
