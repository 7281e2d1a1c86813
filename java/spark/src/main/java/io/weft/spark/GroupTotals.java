package io.weft.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.jdk.javaapi.CollectionConverters;

/** What Spark measured of the tasks of each job group, over all attempts. */
final class GroupTotals extends SparkListener {
    private final Map<Object, String> groups = new ConcurrentHashMap<>();
    private final Map<String, Map<String, Object>> totals = new ConcurrentHashMap<>();

    @Override
    public void onJobStart(SparkListenerJobStart job) {
        String group = job.properties().getProperty("spark.jobGroup.id");
        if (group != null) {
            CollectionConverters.asJava(job.stageIds()).forEach(stage -> groups.put(stage, group));
        }
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        String group = groups.get(task.stageId());
        TaskMetrics metrics = task.taskMetrics();
        if (group == null || metrics == null) {
            return;
        }
        Map<String, Object> of = totals.computeIfAbsent(group, name -> zeros());
        add(of, "tasks", 1);
        add(of, "bytes_in", metrics.inputMetrics().bytesRead());
        add(of, "bytes_out", metrics.outputMetrics().bytesWritten());
        add(of, "shuffle_bytes", metrics.shuffleWriteMetrics().bytesWritten());
        add(of, "memory_bytes_spilled", metrics.memoryBytesSpilled());
        add(of, "disk_bytes_spilled", metrics.diskBytesSpilled());
    }

    /** The totals of a group; zeros if it had no tasks. */
    synchronized Map<String, Object> of(String group) {
        return totals.getOrDefault(group, zeros());
    }

    private static Map<String, Object> zeros() {
        Map<String, Object> found = new LinkedHashMap<>();
        for (String key : new String[] {"tasks", "bytes_in", "bytes_out", "shuffle_bytes", "memory_bytes_spilled",
            "disk_bytes_spilled"}) {
            found.put(key, 0L);
        }
        return found;
    }

    private static void add(Map<String, Object> totals, String key, long value) {
        totals.merge(key, value, (a, b) -> (long) a + (long) b);
    }
}
