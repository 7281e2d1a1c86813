package io.weft.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the output of Grep, counts and order, against a search of the same lines made anew by the generator. */
public final class GrepValidate {
    private static final int TASKS_A_THREAD = 4;

    private GrepValidate() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, TextSpec.keys("input", "pattern", "threads"), GrepValidate::run));
    }

    /** Runs it as its main method does. */
    public static void run(Options options, Outcome outcome) throws Exception {
        TextSpec spec = TextSpec.of(options);
        Pattern pattern = LineTally.pattern(options.text("pattern"));
        int threads = options.integer("threads", Parallel.processors(), 1, 1024);
        new CountOutput(true, outcome).read(options.text("input")).check(answer(spec, pattern, threads));
    }

    /** The right count of each string that matches. */
    static Map<String, Long> answer(TextSpec spec, Pattern pattern, int threads) throws Exception {
        ZipfWords vocabulary = spec.vocabulary();
        int tasks = threads * TASKS_A_THREAD;
        Progress progress = new Progress(tasks);
        List<Callable<Map<String, Long>>> work = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
            long first = TeraGen.start(spec.blocks(), tasks, task);
            long end = TeraGen.start(spec.blocks(), tasks, task + 1);
            work.add(() -> {
                Map<String, Long> found = search(new TextBlocks(vocabulary, spec.seed()), pattern, first, end);
                progress.add(1);
                return found;
            });
        }
        Map<String, Long> answer = new HashMap<>();
        Parallel.run(threads, work).forEach(found -> found.forEach((text, n) -> answer.merge(text, n, Long::sum)));
        return answer;
    }

    private static Map<String, Long> search(TextBlocks text, Pattern pattern, long first, long end) {
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
        }
        return found;
    }
}
