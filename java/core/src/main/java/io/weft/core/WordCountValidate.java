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
        List<Callable<long[]>> work = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
            long first = PartRange.start(spec.blocks(), tasks, task);
            long end = PartRange.start(spec.blocks(), tasks, task + 1);
            work.add(() -> counts(new TextBlocks(vocabulary, spec.seed()), vocabulary, first, end, progress));
        }
        long[] sum = new long[vocabulary.size()];
        for (long[] counts : Parallel.run(threads, work)) {
            for (int rank = 0; rank < sum.length; rank++) {
                sum[rank] += counts[rank];
            }
        }
        Map<String, Long> answer = new HashMap<>();
        for (int rank = 0; rank < sum.length; rank++) {
            if (sum[rank] > 0) {
                answer.put(vocabulary.word(rank), sum[rank]);
            }
        }
        return answer;
    }

    private static long[] counts(TextBlocks text, ZipfWords vocabulary, long first, long end, Progress progress) {
        long[] counts = new long[vocabulary.size()];
        for (long block = first; block < end; block++) {
            text.count(block, counts);
        }
        progress.add(1);
        return counts;
    }
}
