package io.weft.flink;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.LocalStreamEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * How a batch job ended, and when: not when its client knows, but as its JobManager says. Flink's client asks ever less often,
 * down to every two seconds (ExponentialWaitStrategy in RestClusterClient), and more questions would take CPU time from the
 * job, since each has a connection of its own with its handshake.
 *
 * @param nanos the job's end on the clock of {@link System#nanoTime}
 */
record JobEnd(JobExecutionResult result, long nanos) {
    private static final long LEAST_MILLIS = 250;
    private static final long MOST_MILLIS = 1000;
    /** The part of the time that has passed by which an end may be known late. */
    private static final long PART = 3;

    /** Runs what was described to an environment. */
    static JobEnd of(StreamExecutionEnvironment flink, String name) throws Exception {
        if (flink instanceof LocalStreamEnvironment) {
            // a cluster within this process ends with its job, and answers nothing after it
            return new JobEnd(flink.execute(name), System.nanoTime());
        }
        return of(flink.executeAsync(name));
    }

    /** Waits for the end of a job that has just been submitted; throws what it failed with. */
    static JobEnd of(JobClient job) throws InterruptedException, ExecutionException {
        long begun = System.nanoTime();
        while (runs(job)) {
            long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            Thread.sleep(Math.max(LEAST_MILLIS, Math.min(MOST_MILLIS, passed / PART)));
        }
        JobExecutionResult result = job.getJobExecutionResult().get();
        long lasted = TimeUnit.MILLISECONDS.toNanos(result.getNetRuntime());
        return new JobEnd(result, Math.min(System.nanoTime(), begun + lasted));
    }

    /** False also if nobody answers: then its result says why. */
    private static boolean runs(JobClient job) throws InterruptedException {
        try {
            return !job.getJobStatus().get().isTerminalState();
        } catch (ExecutionException unanswered) {
            return false;
        }
    }
}
