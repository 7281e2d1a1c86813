package io.weft.hadoop;

import io.weft.core.TeraRecord;
import io.weft.core.WrongInput;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Files of raw records, a part for each reduce task, in a directory that may be there but must be empty. */
public final class RecordOutput extends FileOutputFormat<NullWritable, Records> {
    private static final int BUFFER = 10_000 * TeraRecord.LENGTH;

    @Override
    public void checkOutputSpecs(JobContext job) throws IOException {
        Path output = getOutputPath(job);
        FileSystem system = output.getFileSystem(job.getConfiguration());
        if (system.exists(output) && system.listStatus(output).length > 0) {
            throw new WrongInput("The output directory " + output + " is not empty.");
        }
    }

    @Override
    public RecordWriter<NullWritable, Records> getRecordWriter(TaskAttemptContext context) throws IOException {
        Path file = getDefaultWorkFile(context, "");
        FileSystem system = file.getFileSystem(context.getConfiguration());
        // a file of checksums beside each part is one more file to create, and the result is checked anyway
        system.setWriteChecksum(false);
        return new Writer(system.create(file, true));
    }

    private static final class Writer extends RecordWriter<NullWritable, Records> {
        private final FSDataOutputStream out;
        private final byte[] buffer = new byte[BUFFER];
        private int used;

        Writer(FSDataOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(NullWritable key, Records records) throws IOException {
            if (used + records.length > BUFFER) {
                drain();
            }
            System.arraycopy(records.bytes, records.offset, buffer, used, records.length);
            used += records.length;
        }

        private void drain() throws IOException {
            out.write(buffer, 0, used);
            used = 0;
        }

        @Override
        public void close(TaskAttemptContext context) throws IOException {
            try (out) {
                drain();
            }
        }
    }
}
