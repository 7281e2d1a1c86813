package io.weft.core;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/**
 * What it costs to open a file for each read, against one open for all reads, by read size; and how many files a
 * second can be created, looked at, renamed and removed, by number of threads. The microbenchmark behind figure 7 of
 * Chaimov et al. (CUG 2016). All of one size's variants are interleaved and medians are given.
 */
public final class FileOpen extends Program {
    @Option(names = "--directory", required = true)
    private Path directory;

    @Option(names = "--file-bytes")
    @Bounds(min = 1 << 20, max = 1L << 40)
    private long fileBytes = 64 << 20;

    @Option(names = "--read-bytes", split = ",")
    private int[] readBytes = {1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304};

    @Option(names = "--reads")
    @Bounds(min = 1, max = 1_000_000)
    private int reads = 200;

    @Option(names = "--files")
    @Bounds(min = 1, max = 1_000_000)
    private int files = 200;

    @Option(names = "--threads", split = ",")
    private int[] threads = {1, 2, 4, 8};

    @Option(names = "--rounds")
    @Bounds(min = 1, max = 1000)
    private int rounds = 3;

    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed;

    public static void main(String[] args) {
        main(new FileOpen(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        requirePositive(readBytes);
        requirePositive(threads);
        Progress progress = new Progress((long) rounds * (readBytes.length + threads.length));
        Path file = KnownFile.write(directory.resolve("file-open.data"), fileBytes, seed);
        outcome.put("reads", reading(new KnownFile(file, fileBytes, seed), readBytes, reads, rounds, progress));
        outcome.put("rates", rates(directory, threads, files, rounds, progress));
        outcome.put("opens_per_size", reads).put("files_per_thread", files).put("rounds", rounds);
    }

    private static List<Map<String, Object>> reading(KnownFile file, int[] sizes, int reads, int rounds,
            Progress progress) throws IOException {
        double[][] each = new double[sizes.length][rounds];
        double[][] once = new double[sizes.length][rounds];
        for (int round = -1; round < rounds; round++) {
            for (int at = 0; at < sizes.length; at++) {
                long[] offsets = file.offsets(new Random(round), reads, sizes[at]);
                ByteBuffer buffer = ByteBuffer.allocateDirect(sizes[at]);
                double single = file.readWithOneOpen(offsets, buffer);
                double opens = file.readWithOpens(offsets, buffer);
                if (round >= 0) { // the first round warms caches and compiler
                    once[at][round] = single;
                    each[at][round] = opens;
                    progress.add(1);
                }
            }
        }
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int at = 0; at < sizes.length; at++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("read_bytes", sizes[at]);
            row.put("open_per_read_us", median(each[at]) / reads * 1e6);
            row.put("one_open_us", median(once[at]) / reads * 1e6);
            row.put("slowdown", median(each[at]) / median(once[at]));
            rows.add(row);
        }
        return rows;
    }

    private static List<Map<String, Object>> rates(Path directory, int[] threads, int files, int rounds,
            Progress progress) throws Exception {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int count : threads) {
            double[][] seconds = new double[FileRates.STEPS.size()][rounds];
            for (int round = 0; round < rounds; round++) {
                double[] took = new FileRates(directory.resolve("rates-" + count + "-" + round), files).run(count);
                for (int step = 0; step < took.length; step++) {
                    seconds[step][round] = took[step];
                }
                progress.add(1);
            }
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("threads", count);
            for (int step = 0; step < seconds.length; step++) {
                row.put(FileRates.STEPS.get(step) + "_per_second", (double) count * files / median(seconds[step]));
            }
            rows.add(row);
        }
        return rows;
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static void requirePositive(int... numbers) {
        if (Arrays.stream(numbers).anyMatch(number -> number <= 0)) {
            throw new UsageError("A list must hold positive numbers, not " + Arrays.toString(numbers) + ".");
        }
    }
}
