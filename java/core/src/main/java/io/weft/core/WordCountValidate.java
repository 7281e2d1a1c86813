package io.weft.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Checks the output of WordCount against counts found from the generator, which draws the words without writing them.
 */
public final class WordCountValidate extends Program {
    private static final int TASKS_A_THREAD = 4;

    @Mixin
    private TextOptions text;

    @Option(names = "--input", required = true)
    private String input;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    public static void main(String[] args) {
        main(new WordCountValidate(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        new CountOutput(false, outcome).read(input).check(answer(text.spec(), threads));
    }

    /** The right count of each word that occurs. */
    static Map<String, Long> answer(TextSpec spec, int threads) throws Exception {
        ZipfWords vocabulary = spec.vocabulary();
        int tasks = threads * TASKS_A_THREAD;
        Progress progress = new Progress(tasks);
        long[] sum = new long[vocabulary.size()];
        List<Callable<Void>> work = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
            long first = PartRange.start(spec.blocks(), tasks, task);
            long end = PartRange.start(spec.blocks(), tasks, task + 1);
            work.add(() -> {
                add(counts(new TextBlocks(vocabulary, spec.seed()), vocabulary, first, end), sum);
                progress.add(1);
                return null;
            });
        }
        Parallel.run(fitting(threads, vocabulary.size(), Runtime.getRuntime().maxMemory()), work);
        Map<String, Long> answer = new HashMap<>();
        for (int rank = 0; rank < sum.length; rank++) {
            if (sum[rank] > 0) {
                answer.put(vocabulary.word(rank), sum[rank]);
            }
        }
        return answer;
    }

    /** As many of the threads as have a quarter of the heap for their counts. */
    static int fitting(int threads, int words, long heap) {
        return (int) Math.max(1, Math.min(threads, heap / 4 / ((long) words * Long.BYTES)));
    }

    private static void add(long[] counts, long[] sum) {
        synchronized (sum) {
            for (int rank = 0; rank < sum.length; rank++) {
                sum[rank] += counts[rank];
            }
        }
    }

    private static long[] counts(TextBlocks text, ZipfWords vocabulary, long first, long end) {
        long[] counts = new long[vocabulary.size()];
        for (long block = first; block < end; block++) {
            text.count(block, counts);
        }
        return counts;
    }
}
