package io.weft.flink;

import io.weft.job.Causes;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A streaming job with checkpoints: it is awaited, watched and ended. */
final class RunningJob {
    private static final long POLL_MILLIS = 50;
    private static final long PATIENCE_SECONDS = 120;

    private final JobClient job;
    private final String checkpoints;

    /** @param checkpoints a URI */
    RunningJob(JobClient job, String checkpoints) {
        this.job = job;
        this.checkpoints = checkpoints;
    }

    /** Lets the next job of an environment keep its state exactly once. */
    static void checkpoint(StreamExecutionEnvironment flink, String checkpoints, long millis) {
        flink.enableCheckpointing(millis, CheckpointingMode.EXACTLY_ONCE);
        Configuration own = new Configuration();
        own.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        own.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints);
        flink.configure(own);
    }

    /** Returns when all of its tasks run. */
    void await() throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (job.getJobStatus().get() != JobStatus.RUNNING) {
            check();
            if (System.nanoTime() > end) {
                throw new IllegalStateException("the job is still " + job.getJobStatus().get() + " after "
                        + PATIENCE_SECONDS + " s");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Throws the failure that ended it, if it has ended. */
    void check() throws Exception {
        if (!job.getJobStatus().get().isGloballyTerminalState()) {
            return;
        }
        try {
            job.getJobExecutionResult().get();
        } catch (ExecutionException error) {
            throw new IllegalStateException(Causes.innermost(error).toString(), error);
        }
        throw new IllegalStateException("the job ended before its stream");
    }

    int restarts() throws Exception {
        return Restarts.of(job);
    }

    /** Takes a savepoint: what its sources had read by then is in all sinks when it is complete. */
    void save() throws Exception {
        job.triggerSavepoint(checkpoints + "/savepoint", SavepointFormatType.CANONICAL)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    void stop() throws Exception {
        try {
            // a job that is cancelled instead counts as failed
            job.stopWithSavepoint(false, checkpoints + "/savepoint", SavepointFormatType.CANONICAL)
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            // the validator says what is wrong with its results
            job.cancel().get();
        }
    }
}
