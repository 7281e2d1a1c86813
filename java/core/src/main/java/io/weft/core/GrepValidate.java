package io.weft.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks the output of Grep, counts and order, against a search of the same lines made again by the generator. */
public final class GrepValidate extends Program {
    private static final int TASKS_A_THREAD = 4;
    /** Different strings that a task holds before it gives them to the others: many tasks share a heap. */
    private static final int MOST = 4096;

    @Mixin
    private TextOptions text;

    @Option(names = "--input", required = true)
    private String input;

    @Option(names = "--pattern", required = true)
    private String pattern;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    public static void main(String[] args) {
        main(new GrepValidate(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        new CountOutput(true, outcome).read(input).check(answer(text.spec(), LineTally.pattern(pattern), threads));
    }

    /** The right count of each string that matches. */
    static Map<String, Long> answer(TextSpec spec, Pattern pattern, int threads) throws Exception {
        ZipfWords vocabulary = spec.vocabulary();
        int tasks = threads * TASKS_A_THREAD;
        Progress progress = new Progress(tasks);
        Map<String, Long> answer = new ConcurrentHashMap<>();
        List<Callable<Void>> work = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
            long first = PartRange.start(spec.blocks(), tasks, task);
            long end = PartRange.start(spec.blocks(), tasks, task + 1);
            work.add(() -> {
                search(new TextBlocks(vocabulary, spec.seed()), pattern, first, end, answer);
                progress.add(1);
                return null;
            });
        }
        Parallel.run(threads, work);
        return answer;
    }

    private static void search(TextBlocks text, Pattern pattern, long first, long end, Map<String, Long> answer) {
        Map<String, Long> found = new HashMap<>();
        byte[] bytes = new byte[TextBlocks.BLOCK + TextBlocks.SLACK];
        for (long block = first; block < end; block++) {
            text.write(block, bytes, 0);
            String lines = new String(bytes, 0, TextBlocks.BLOCK, StandardCharsets.ISO_8859_1);
            for (String line : lines.split("\n")) {
                Matcher matcher = pattern.matcher(line);
                while (matcher.find()) {
                    found.merge(matcher.group(), 1L, Long::sum);
                }
            }
            if (found.size() >= MOST || block == end - 1) {
                found.forEach((string, count) -> answer.merge(string, count, Long::sum));
                found.clear();
            }
        }
    }
}
