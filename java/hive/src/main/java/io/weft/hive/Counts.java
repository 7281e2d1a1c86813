package io.weft.hive;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hive.ql.MapRedStats;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.exec.Utilities;
import org.apache.hadoop.hive.ql.exec.tez.TezTask;
import org.apache.hadoop.hive.ql.session.SessionState;

/** What the tasks of a query counted, under one name on Tez and on MapReduce. */
final class Counts {
    private Counts() {
    }

    /** Sums over all graphs of Tez, or all jobs of MapReduce, that a statement ran. */
    static Map<String, Long> of(QueryPlan plan, SessionState state) {
        Map<String, Long> found = new LinkedHashMap<>();
        for (TezTask task : Utilities.getTezTasks(plan.getRootTasks())) {
            if (task.getTezCounters() != null) {
                task.getTezCounters().forEach(group -> group.forEach(one -> add(found, one.getName(), one.getValue())));
            }
        }
        for (MapRedStats stats : state.getMapRedStats().values()) {
            if (stats.getCounters() != null) {
                stats.getCounters().forEach(group -> group.forEach(one -> add(found, one.getName(), one.getValue())));
            }
        }
        return found;
    }

    private static void add(Map<String, Long> sums, String name, long value) {
        String key = switch (name) {
            case "INPUT_SPLIT_LENGTH_BYTES" -> "bytes_in";
            case "SHUFFLE_BYTES", "REDUCE_SHUFFLE_BYTES" -> "shuffle_bytes";
            case "ADDITIONAL_SPILLS_BYTES_WRITTEN" -> "disk_bytes_spilled";
            case "FILE_BYTES_READ", "HDFS_BYTES_READ" -> "bytes_read";
            case "FILE_BYTES_WRITTEN", "HDFS_BYTES_WRITTEN" -> "bytes_written";
            default -> "";
        };
        if (!key.isEmpty()) {
            sums.merge(key, value, Long::sum);
        }
    }
}
