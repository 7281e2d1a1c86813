package io.weft.job;

import io.weft.core.Attempt;
import io.weft.core.Outcome;
import io.weft.core.Store;
import io.weft.core.TraceLine;
import io.weft.core.TraceOptions;
import io.weft.core.TraceRun;
import io.weft.core.TraceTally;
import io.weft.core.TraceWork;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Mixin;

/**
 * Replays a trace: each job is submitted at its moment of one schedule, however long others take. A job that fails is
 * reported as such, and the replay continues. Afterwards some of the jobs run again, one after another, alone.
 */
public abstract class TraceJob<S extends EngineSession> extends EngineJob<S> {
    private static final long LATE_NANOS = 3_000_000_000L;

    @Mixin
    private TraceOptions options;

    private long begin;

    /**
     * Submits a job, waits for its end, and gives what its tasks did.
     *
     * @param label a name that no other job of the replay has
     * @param directory for its output
     */
    protected abstract TraceTally run(S session, TraceWork work, TraceLine line, String label, String directory)
            throws Exception;

    /** When the engine started a job, in milliseconds since the epoch, or -1 while it has not reported it. */
    protected abstract long startedMillis(S session, String label);

    @Override
    protected final void prepare() throws Exception {
        Attempt.requireEmpty(options.output());
    }

    @Override
    protected final void work(S session, Outcome outcome) throws Exception {
        List<TraceLine> lines = options.lines();
        List<String> failures = phases.time("warm-up", () -> warmUp(session, lines));
        long epoch = System.currentTimeMillis();
        begin = System.nanoTime();
        List<Map<String, Object>> jobs = phases.measure("replay", () -> replay(session, lines));
        for (int number : options.alone()) {
            Map<String, Object> alone = phases.time("alone", () -> once(session, lines.get(number), TraceRun.ALONE));
            jobs.get(number).put("alone", (double) alone.get("ended") - (double) alone.get("submitted"));
            jobs.get(number).put("alone_failure", alone.get("failure"));
        }
        long deadline = System.nanoTime() + LATE_NANOS;
        for (Map<String, Object> job : jobs) {
            long started = started(session, lines.get((int) job.get("number")), job, deadline);
            job.put("started", started < 0 ? null : (started - epoch) / 1e3);
        }
        outcome.put("began", epoch / 1e3).put("warm_up_failures", failures).put("jobs", jobs);
    }

    /** Runs some of the jobs at once, whatever their moments, and removes what they wrote. */
    private List<String> warmUp(S session, List<TraceLine> lines) throws Exception {
        begin = System.nanoTime();
        List<Callable<Map<String, Object>>> jobs = new ArrayList<>();
        for (int number : options.warmUp()) {
            jobs.add(() -> once(session, lines.get(number), TraceRun.WARM));
        }
        List<String> failures = new ArrayList<>();
        for (Map<String, Object> job : together(jobs)) {
            if (!job.get("failure").equals("")) {
                failures.add(job.get("job") + ": " + job.get("failure"));
            }
        }
        for (int number : options.warmUp()) {
            String directory = TraceRun.WARM.directory(options.output(), lines.get(number));
            Store.of(directory).delete(directory);
        }
        return failures;
    }

    private static <T> List<T> together(List<Callable<T>> works) throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try {
            List<T> found = new ArrayList<>();
            for (Future<T> future : pool.invokeAll(works)) {
                found.add(future.get());
            }
            return found;
        } finally {
            pool.shutdownNow();
        }
    }

    private List<Map<String, Object>> replay(S session, List<TraceLine> lines) throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try {
            List<Future<Map<String, Object>>> futures = new ArrayList<>();
            for (TraceLine line : lines) {
                TimeUnit.NANOSECONDS.sleep(begin + TimeUnit.MILLISECONDS.toNanos(line.atMillis()) - System.nanoTime());
                futures.add(pool.submit(() -> once(session, line, TraceRun.JOB)));
            }
            List<Map<String, Object>> jobs = new ArrayList<>();
            for (Future<Map<String, Object>> future : futures) {
                jobs.add(future.get());
            }
            return jobs;
        } finally {
            pool.shutdownNow();
        }
    }

    private Map<String, Object> once(S session, TraceLine line, TraceRun why) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("number", line.number());
        found.put("job", line.name());
        found.put("scheduled", line.atMillis() / 1e3);
        found.put("submitted", elapsed());
        String directory = why.directory(options.output(), line);
        TraceTally did = TraceTally.NONE;
        String failure = "";
        try {
            did = run(session, options.work(), line, why.label(line), directory).require(line);
            Store.of(directory).delete(Attempt.aside(directory));
        } catch (Exception | LinkageError error) {
            error.printStackTrace();
            failure = error.toString().lines().findFirst().orElse("");
        }
        found.put("ended", elapsed());
        found.put("read", did.read());
        found.put("moved", did.moved());
        found.put("written", did.written());
        found.put("failure", failure);
        return found;
    }

    /** Engines report starts a little later than results. */
    private long started(S session, TraceLine line, Map<String, Object> job, long deadline)
            throws InterruptedException {
        String label = TraceRun.JOB.label(line);
        boolean ran = job.get("failure").equals("");
        while (ran && startedMillis(session, label) < 0 && System.nanoTime() < deadline) {
            Thread.sleep(50);
        }
        return startedMillis(session, label);
    }

    private double elapsed() {
        return (System.nanoTime() - begin) / 1e9;
    }
}
