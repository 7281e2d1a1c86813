package io.weft.hadoop;

import io.weft.core.Outcome;
import io.weft.core.Progress;
import io.weft.job.EngineSession;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.FileSystemCounter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskCounter;

/** Runs jobs to their ends, telling their progress, and reports what the counters of the last one say. */
final class Session implements EngineSession {
    private static final int STEPS = 1000;
    private static final int GAP_MILLIS = 50;

    private Job last;

    /** Sets what a program wants and neither the site files nor the command line say. */
    static void setUnlessGiven(Configuration settings, String key, String value) {
        String[] sources = settings.getPropertySources(key);
        if (sources == null || Arrays.stream(sources).allMatch(source -> source.endsWith("-default.xml"))) {
            settings.set(key, value);
        }
    }

    /**
     * Submits a job and waits for it.
     *
     * @throws IOException with the first words of the failure when the job fails
     */
    Job run(Job job) throws Exception {
        job.submit();
        Progress progress = new Progress(2 * STEPS);
        int reported = 0;
        JobStatus status = job.getStatus();
        while (!status.isJobComplete()) {
            Thread.sleep(GAP_MILLIS);
            status = job.getStatus();
            int done = (int) (STEPS * (status.getMapProgress() + status.getReduceProgress()));
            if (done > reported) {
                progress.add(done - reported);
                reported = done;
            }
        }
        if (!job.isSuccessful()) {
            throw new IOException(job.getJobID() + " failed: " + reason(job, status));
        }
        return ran(job);
    }

    /** Notes a job that ran to its end otherwise. */
    Job ran(Job job) {
        last = job;
        return job;
    }

    /** The first line of the first task that failed, or what the framework says. */
    static String reason(Job job, JobStatus status) throws IOException, InterruptedException {
        for (TaskCompletionEvent event : job.getTaskCompletionEvents(0, 1000)) {
            if (event.getStatus() == TaskCompletionEvent.Status.FAILED) {
                String[] words = job.getTaskDiagnostics(event.getTaskAttemptId());
                return event.getTaskAttemptId() + ": " + String.join(" ", words).strip().lines().findFirst().orElse("");
            }
        }
        return status.getFailureInfo();
    }

    /** The counters of a job that has ended. */
    static Counters counters(Job job) throws IOException {
        Counters counters = job.getCounters();
        if (counters == null) {
            throw new IOException("the history of " + job.getJobID() + " holds no counters");
        }
        return counters;
    }

    /** Puts the totals over all finished tasks of the last job, if one is noted. */
    @Override
    public void report(Outcome outcome) throws IOException {
        if (last == null) {
            return;
        }
        Counters counters = counters(last);
        outcome.put("tasks", value(counters, JobCounter.TOTAL_LAUNCHED_MAPS, JobCounter.TOTAL_LAUNCHED_REDUCES))
                .put("failed_tasks", value(counters, JobCounter.NUM_FAILED_MAPS, JobCounter.NUM_FAILED_REDUCES))
                .put("task_cpu_ns", value(counters, TaskCounter.CPU_MILLISECONDS) * 1_000_000)
                .put("task_gc_ms", value(counters, TaskCounter.GC_TIME_MILLIS))
                .put("shuffle_bytes_written", value(counters, TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES))
                .put("shuffle_bytes_fetched", value(counters, TaskCounter.REDUCE_SHUFFLE_BYTES))
                .put("spilled_records", value(counters, TaskCounter.SPILLED_RECORDS));
        for (String scheme : new String[] {"file", "hdfs"}) {
            outcome.put(scheme + "_bytes_read", counters.findCounter(scheme, FileSystemCounter.BYTES_READ).getValue())
                    .put(scheme + "_bytes_written",
                            counters.findCounter(scheme, FileSystemCounter.BYTES_WRITTEN).getValue());
        }
    }

    /** The sum of some counters. */
    static long value(Counters counters, Enum<?>... names) {
        return Arrays.stream(names).mapToLong(name -> counters.findCounter(name).getValue()).sum();
    }

    @Override
    public void close() {
        // a job ends by itself
    }
}
