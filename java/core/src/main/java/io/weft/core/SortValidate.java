package io.weft.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Checks sorted lines without any engine: every part is there, the lines are in order within and across parts (by part
 * number, not name), and their count and the sum of their CRC32 are the generator's.
 */
public final class SortValidate {
    private static final List<String> KEYS = List.of("input", "lines", "checksum", "threads");

    private SortValidate() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, SortValidate::run));
    }

    /** Runs it as its main method does. */
    public static void run(Options options, Outcome outcome) throws Exception {
        String input = options.text("input");
        int threads = options.integer("threads", Parallel.processors(), 1, 1024);
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
        outcome.same("line count", sum.lines(), options.number("lines", 0, Long.MAX_VALUE));
        outcome.same("checksum", sum.hex(), options.text("checksum"));
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
