package io.weft.spark;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import scala.jdk.javaapi.CollectionConverters;

/** When the first task of each job group was launched. */
final class JobStarts extends SparkListener {
    private final Map<Object, String> groups = new ConcurrentHashMap<>();
    private final Map<String, Long> starts = new ConcurrentHashMap<>();

    @Override
    public void onJobStart(SparkListenerJobStart job) {
        String group = job.properties().getProperty("spark.jobGroup.id");
        if (group != null) {
            CollectionConverters.asJava(job.stageIds()).forEach(stage -> groups.put(stage, group));
        }
    }

    @Override
    public void onTaskStart(SparkListenerTaskStart task) {
        String group = groups.get(task.stageId());
        if (group != null) {
            starts.putIfAbsent(group, task.taskInfo().launchTime());
        }
    }

    /** In milliseconds since the epoch, or -1 if none was launched. */
    long of(String group) {
        return starts.getOrDefault(group, -1L);
    }
}
