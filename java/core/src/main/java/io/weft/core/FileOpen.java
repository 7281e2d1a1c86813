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

/**
 * What it costs to open a file for each read, against one open for all reads, by read size; and how many files a
 * second can be created, looked at, renamed and removed, by number of threads. The microbenchmark behind figure 7 of
 * Chaimov et al. (CUG 2016). All of one size's variants are interleaved and medians are given.
 */
public final class FileOpen {
    private static final List<String> KEYS =
            List.of("directory", "file-bytes", "read-bytes", "reads", "files", "threads", "rounds", "seed");

    private FileOpen() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, FileOpen::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        Path directory = options.path("directory");
        long bytes = options.number("file-bytes", 64 << 20, 1 << 20, 1L << 40);
        int[] sizes = numbers(options.text("read-bytes", "1024,4096,16384,65536,262144,1048576,4194304"));
        int[] threads = numbers(options.text("threads", "1,2,4,8"));
        int reads = options.integer("reads", 200, 1, 1_000_000);
        int files = options.integer("files", 200, 1, 1_000_000);
        int rounds = options.integer("rounds", 3, 1, 1000);
        Progress progress = new Progress((long) rounds * (sizes.length + threads.length));
        long seed = options.number("seed", 0, 0, Long.MAX_VALUE);
        Path file = KnownFile.write(directory.resolve("file-open.data"), bytes, seed);
        outcome.put("reads", reading(new KnownFile(file, bytes, seed), sizes, reads, rounds, progress));
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

    private static int[] numbers(String list) {
        try {
            int[] numbers = Stream.of(list.split(",")).mapToInt(Integer::parseInt).toArray();
            if (Arrays.stream(numbers).allMatch(number -> number > 0)) {
                return numbers;
            }
        } catch (NumberFormatException notANumber) {
            // falls through to the one message
        }
        throw new UsageError("A list must hold positive whole numbers between commas, not " + list + ".");
    }
}
