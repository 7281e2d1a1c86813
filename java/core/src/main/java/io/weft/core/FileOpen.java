package io.weft.core;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What it costs to open a file for each read, against one open for all reads, by read size; and how many files a
 * second can be created, looked at, renamed and removed, by number of threads. The microbenchmark behind figure 7 of
 * Chaimov et al. (CUG 2016). All of one size's variants are interleaved and medians are given. The answer has the CRC32 of
 * what was read, and how many files were listed after each step.
 */
public final class FileOpen extends Program {
    @Option(names = "--directory", required = true)
    private Path directory;

    @Mixin
    private FileOpenOptions asked;

    @Option(names = "--answer", required = true)
    private Path answer;

    public static void main(String[] args) {
        main(new FileOpen(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        asked.require();
        Answer found = new Answer();
        Progress progress = new Progress((long) asked.rounds * (asked.readBytes.length + asked.threads.length));
        Path file = KnownFile.write(directory.resolve("file-open.data"), asked.fileBytes, asked.seed);
        outcome.put("reads", reading(new KnownFile(file, asked.fileBytes, asked.seed), found, progress));
        outcome.put("rates", rates(found, progress));
        outcome.put("opens_per_size", asked.reads).put("files_per_thread", asked.files).put("rounds", asked.rounds);
        found.write(answer);
    }

    private List<Map<String, Object>> reading(KnownFile file, Answer answer, Progress progress) throws IOException {
        int[] sizes = asked.readBytes;
        double[][] each = new double[sizes.length][asked.rounds];
        double[][] once = new double[sizes.length][asked.rounds];
        for (int round = -1; round < asked.rounds; round++) {
            for (int at = 0; at < sizes.length; at++) {
                long[] offsets = asked.offsets(file, round, sizes[at]);
                ByteBuffer buffer = ByteBuffer.allocateDirect(sizes[at]);
                KnownFile.Reading single = file.readWithOneOpen(offsets, buffer);
                KnownFile.Reading opens = file.readWithOpens(offsets, buffer);
                if (round >= 0) { // the first round warms caches and compiler
                    once[at][round] = single.seconds();
                    each[at][round] = opens.seconds();
                    answer.put(FileOpenOptions.reading(sizes[at], round, "1"), single.crc());
                    answer.put(FileOpenOptions.reading(sizes[at], round, "each"), opens.crc());
                    progress.add(1);
                }
            }
        }
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int at = 0; at < sizes.length; at++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("read_bytes", sizes[at]);
            row.put("open_per_read_us", median(each[at]) / asked.reads * 1e6);
            row.put("one_open_us", median(once[at]) / asked.reads * 1e6);
            row.put("slowdown", median(each[at]) / median(once[at]));
            rows.add(row);
        }
        return rows;
    }

    private List<Map<String, Object>> rates(Answer answer, Progress progress) throws Exception {
        List<Map<String, Object>> rows = new ArrayList<>();
        List<String> steps = FileRates.STEPS;
        for (int count : asked.threads) {
            double[][] seconds = new double[steps.size()][asked.rounds];
            for (int round = 0; round < asked.rounds; round++) {
                Path own = directory.resolve("rates-" + count + "-" + round);
                FileRates.Rates rates = new FileRates(own, asked.files).run(count);
                for (int step = 0; step < seconds.length; step++) {
                    seconds[step][round] = rates.seconds()[step];
                    answer.put(FileOpenOptions.step(count, round, steps.get(step)), rates.listed()[step]);
                }
                progress.add(1);
            }
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("threads", count);
            for (int step = 0; step < seconds.length; step++) {
                row.put(steps.get(step) + "_per_second", (double) count * asked.files / median(seconds[step]));
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
}
