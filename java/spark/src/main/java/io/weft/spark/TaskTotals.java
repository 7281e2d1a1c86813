package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.Progress;
import org.apache.spark.Success$;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Reports finished tasks as progress and adds up what Spark measured of them. */
final class TaskTotals extends SparkListener {
    private final Progress progress = new Progress(0);
    private long tasks;
    private long failures;
    private long cpuNanos;
    private long gcMillis;
    private long shuffleWritten;
    private long memorySpilled;
    private long diskSpilled;

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
        progress.expect(stage.stageInfo().numTasks());
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        if (task.reason() != Success$.MODULE$) {
            failures++;
            return;
        }
        progress.add(1);
        tasks++;
        TaskMetrics metrics = task.taskMetrics();
        cpuNanos += metrics.executorCpuTime();
        gcMillis += metrics.jvmGCTime();
        shuffleWritten += metrics.shuffleWriteMetrics().bytesWritten();
        memorySpilled += metrics.memoryBytesSpilled();
        diskSpilled += metrics.diskBytesSpilled();
    }

    synchronized void report(Outcome outcome) {
        outcome.put("tasks", tasks).put("failed_tasks", failures).put("task_cpu_ns", cpuNanos)
                .put("task_gc_ms", gcMillis).put("shuffle_bytes_written", shuffleWritten)
                .put("memory_bytes_spilled", memorySpilled).put("disk_bytes_spilled", diskSpilled);
    }
}
