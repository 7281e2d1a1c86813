package io.weft.spark;

import io.weft.core.PartFiles;
import io.weft.core.TeraRecord;
import java.io.IOException;
import org.apache.spark.TaskContext;

/**
 * Writes one part under a name of its attempt and gives it its final name when it is whole, so that a failed,
 * repeated or speculative attempt leaves nothing under a final name but a whole part.
 */
final class PartOutput implements AutoCloseable {
    private static final int BUFFER = 10_000 * TeraRecord.LENGTH;

    private final Store store;
    private final String attempt;
    private final String target;
    private final Store.Writer out;
    private final byte[] buffer = new byte[BUFFER];
    private int used;
    private long rows;

    PartOutput(Store store, String directory, int number, TaskContext context) throws IOException {
        this.store = store;
        target = directory + "/" + PartFiles.name(number);
        attempt = aside(directory) + "/" + PartFiles.name(number) + "." + context.taskAttemptId();
        out = store.create(attempt);
    }

    /** Where attempts are written; deleted at the end of the job. */
    static String aside(String directory) {
        return directory + "/_temporary";
    }

    /** Appends one record. */
    void add(byte[] bytes, int offset) throws IOException {
        System.arraycopy(bytes, offset, buffer, used, TeraRecord.LENGTH);
        used += TeraRecord.LENGTH;
        rows++;
        if (used == BUFFER) {
            drain();
        }
    }

    /** Makes the part final and gives the number of its rows. */
    long commit() throws IOException {
        drain();
        out.close();
        store.commit(attempt, target);
        TaskContext.get().taskMetrics().outputMetrics().setBytesWritten(rows * TeraRecord.LENGTH);
        TaskContext.get().taskMetrics().outputMetrics().setRecordsWritten(rows);
        return rows;
    }

    private void drain() throws IOException {
        out.write(buffer, used);
        used = 0;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
