package io.weft.hadoop;

import io.weft.core.TeraRecord;
import io.weft.core.WrongInput;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** Files of raw records, cut into splits of whole records and read many at a time. */
public final class RecordInput extends FileInputFormat<NullWritable, Records> {
    private static final int READ = 2_560 * TeraRecord.LENGTH;

    @Override
    public RecordReader<NullWritable, Records> createRecordReader(InputSplit split, TaskAttemptContext context) {
        return new Reader();
    }

    /** @throws WrongInput when a file holds a part of a record */
    @Override
    protected List<FileStatus> listStatus(JobContext job) throws IOException {
        List<FileStatus> files = super.listStatus(job);
        for (FileStatus file : files) {
            if (file.getLen() % TeraRecord.LENGTH != 0) {
                throw new WrongInput("The input file " + file.getPath().toUri().getPath() + " has " + file.getLen()
                        + " bytes, which is no multiple of the record length 100.");
            }
        }
        return files;
    }

    @Override
    protected long computeSplitSize(long blockSize, long minSize, long maxSize) {
        return Math.max(1, super.computeSplitSize(blockSize, minSize, maxSize) / TeraRecord.LENGTH) * TeraRecord.LENGTH;
    }

    private static final class Reader extends RecordReader<NullWritable, Records> {
        private final Records batch = new Records();
        private FSDataInputStream in;
        private long length;
        private long done;

        @Override
        public void initialize(InputSplit split, TaskAttemptContext context) throws IOException {
            FileSplit file = (FileSplit) split;
            Path path = file.getPath();
            in = path.getFileSystem(context.getConfiguration()).open(path);
            in.seek(file.getStart());
            length = file.getLength();
            batch.bytes = new byte[READ];
        }

        @Override
        public boolean nextKeyValue() throws IOException {
            batch.length = (int) Math.min(READ, length - done);
            in.readFully(batch.bytes, 0, batch.length);
            done += batch.length;
            return batch.length > 0;
        }

        @Override
        public NullWritable getCurrentKey() {
            return NullWritable.get();
        }

        @Override
        public Records getCurrentValue() {
            return batch;
        }

        @Override
        public float getProgress() {
            return length == 0 ? 1 : (float) done / length;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
