package io.weft.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

/** A client that answers with one state after another. */
class JobEndTest {
    private final ArrayDeque<JobStatus> states = new ArrayDeque<>();

    @Test
    void theResultIsAskedForWhenTheJobHasEnded() throws Exception {
        JobExecutionResult result = lasted(1);
        states.addAll(List.of(JobStatus.RUNNING, JobStatus.FINISHED, JobStatus.RUNNING));
        assertSame(result, JobEnd.of(client(CompletableFuture.completedFuture(result))).result());
        assertEquals(List.of(JobStatus.RUNNING), List.copyOf(states));
    }

    @Test
    void aJobThatFailedThrowsWhatItFailedWith() {
        for (JobStatus end : List.of(JobStatus.FAILED, JobStatus.CANCELED, JobStatus.SUSPENDED)) {
            IllegalStateException reason = new IllegalStateException("a task failed");
            states.add(end);
            JobClient failed = client(CompletableFuture.failedFuture(reason));
            assertSame(reason, assertThrows(ExecutionException.class, () -> JobEnd.of(failed)).getCause());
        }
    }

    @Test
    void aClusterThatDoesNotAnswerIsAskedForTheResult() throws Exception {
        JobExecutionResult result = lasted(1);
        assertSame(result, JobEnd.of(client(CompletableFuture.completedFuture(result))).result());
    }

    @Test
    void aJobEndsWhenItsJobManagerSaysSoAndNotLaterThanNow() throws Exception {
        JobClient soon = client(CompletableFuture.completedFuture(lasted(0)));
        states.addAll(List.of(JobStatus.RUNNING, JobStatus.FINISHED));
        long ended = JobEnd.of(soon).nanos();
        assertTrue(ended <= System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(200), "not when the client knew");
        JobClient clockIsAhead = client(CompletableFuture.completedFuture(lasted(TimeUnit.DAYS.toMillis(1))));
        assertTrue(JobEnd.of(clockIsAhead).nanos() <= System.nanoTime());
    }

    private static JobExecutionResult lasted(long millis) {
        return new JobExecutionResult(new JobID(), millis, Map.of());
    }

    private JobClient client(CompletableFuture<JobExecutionResult> result) {
        return (JobClient) Proxy.newProxyInstance(JobClient.class.getClassLoader(), new Class<?>[] {JobClient.class},
                (proxy, method, arguments) -> method.getName().equals("getJobExecutionResult") ? result
                        : states.isEmpty() ? CompletableFuture.failedFuture(new IllegalStateException("no answer"))
                        : CompletableFuture.completedFuture(states.remove()));
    }
}
