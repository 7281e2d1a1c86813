package io.weft.spark;

import io.weft.core.PartOutput;
import io.weft.core.Store;
import io.weft.core.TeraRecord;
import java.io.IOException;
import org.apache.spark.TaskContext;

/** A part that a task writes, and Spark's own metrics of what was written. */
final class Written {
    private Written() {
    }

    /** A part under the name of this attempt. */
    static PartOutput part(Store store, String directory, int number, TaskContext context) throws IOException {
        return new PartOutput(store, directory, number, Long.toString(context.taskAttemptId()));
    }

    /** Makes the part final and gives the number of its rows. */
    static long commit(PartOutput out, TaskContext context) throws IOException {
        long rows = out.commit();
        context.taskMetrics().outputMetrics().setBytesWritten(rows * TeraRecord.LENGTH);
        context.taskMetrics().outputMetrics().setRecordsWritten(rows);
        return rows;
    }
}
