package io.weft.flink;

import org.apache.flink.api.common.accumulators.IntMaximum;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.core.execution.JobClient;

/** How often Flink started a job again after a failure, as one of its tasks knows. */
final class Restarts {
    private static final String NAME = "restarts";

    private Restarts() {
    }

    /** Called by operators of a task when it begins. */
    static void note(RuntimeContext context) {
        if (context.getAccumulator(NAME) != null) {
            return;
        }
        IntMaximum attempts = new IntMaximum();
        attempts.add(context.getTaskInfo().getAttemptNumber());
        context.addAccumulator(NAME, attempts);
    }

    /** Of a job that runs. */
    static int of(JobClient job) throws Exception {
        return (int) job.getAccumulators().get().getOrDefault(NAME, 0);
    }
}
