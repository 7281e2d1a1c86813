package io.weft.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Checks the output of WordCount against counts found from the generator, which draws the words without writing them.
 */
public final class WordCountValidate {
    private static final int TASKS_A_THREAD = 4;

    private WordCountValidate() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, TextSpec.keys("input", "threads"), WordCountValidate::run));
    }

    /** Runs it as its main method does. */
    public static void run(Options options, Outcome outcome) throws Exception {
        TextSpec spec = TextSpec.of(options);
        int threads = options.integer("threads", Parallel.processors(), 1, 1024);
        new CountOutput(false, outcome).read(options.text("input")).check(answer(spec, threads));
    }

    /** The right count of each word that occurs. */
    static Map<String, Long> answer(TextSpec spec, int threads) throws Exception {
        ZipfWords vocabulary = spec.vocabulary();
        int tasks = threads * TASKS_A_THREAD;
        Progress progress = new Progress(tasks);
        List<Callable<long[]>> work = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
            long first = TeraGen.start(spec.blocks(), tasks, task);
            long end = TeraGen.start(spec.blocks(), tasks, task + 1);
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
