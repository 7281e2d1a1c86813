package io.weft.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Checks the output of a replay without any engine, byte by byte. It reports the jobs whose output is wrong and is valid
 * all the same: those that failed, which it does not know, have none.
 */
public final class TraceValidate extends Program {
    @Mixin
    private TraceOptions options;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    public static void main(String[] args) {
        main(new TraceValidate(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        TraceWork work = options.work();
        Map<String, String> wrong = new ConcurrentSkipListMap<>();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (TraceLine line : options.lines()) {
            tasks.add(() -> check(work, line, TraceRun.JOB, wrong));
            if (options.alone().contains(line.number())) {
                tasks.add(() -> check(work, line, TraceRun.ALONE, wrong));
            }
        }
        Parallel.run(threads, tasks);
        outcome.put("checked", tasks.size()).put("wrong", wrong);
    }

    private Void check(TraceWork work, TraceLine line, TraceRun run, Map<String, String> wrong) throws Exception {
        try {
            work.validate(line, run.directory(options.output(), line));
        } catch (WrongInput error) {
            wrong.put(run.word() + " " + line.number(), error.getMessage());
        }
        return null;
    }
}
