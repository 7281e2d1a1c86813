package io.weft.hadoop;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** The numbers from 0 to a count, cut into ranges of about equal length, one a map task. */
public final class NumberInput extends InputFormat<IntWritable, NullWritable> {
    private static final String COUNT = "weft.numbers";
    private static final String TASKS = "weft.tasks";

    /** Says how many numbers there are, and for how many tasks. */
    static void set(Configuration settings, int count, int tasks) {
        settings.setInt(COUNT, count);
        settings.setInt(TASKS, tasks);
    }

    @Override
    public List<InputSplit> getSplits(JobContext job) {
        long count = job.getConfiguration().getInt(COUNT, 0);
        int tasks = job.getConfiguration().getInt(TASKS, 1);
        return IntStream.range(0, tasks)
                .<InputSplit>mapToObj(i -> new Range((int) (count * i / tasks), (int) (count * (i + 1) / tasks))).toList();
    }

    @Override
    public RecordReader<IntWritable, NullWritable> createRecordReader(InputSplit split, TaskAttemptContext context) {
        return new Reader();
    }

    /** The numbers [from, to). */
    public static final class Range extends InputSplit implements Writable {
        private int from;
        private int to;

        /** For Hadoop, which fills it in. */
        public Range() {
        }

        Range(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public long getLength() {
            return to - from;
        }

        @Override
        public String[] getLocations() {
            return new String[0];
        }

        @Override
        public void write(DataOutput out) throws IOException {
            out.writeInt(from);
            out.writeInt(to);
        }

        @Override
        public void readFields(DataInput in) throws IOException {
            from = in.readInt();
            to = in.readInt();
        }
    }

    private static final class Reader extends RecordReader<IntWritable, NullWritable> {
        private Range range;
        private int next;

        @Override
        public void initialize(InputSplit split, TaskAttemptContext context) {
            range = (Range) split;
            next = range.from;
        }

        @Override
        public boolean nextKeyValue() {
            return next++ < range.to;
        }

        @Override
        public IntWritable getCurrentKey() {
            return new IntWritable(next - 1);
        }

        @Override
        public NullWritable getCurrentValue() {
            return NullWritable.get();
        }

        @Override
        public float getProgress() {
            return (float) (next - range.from) / Math.max(1, range.to - range.from);
        }

        @Override
        public void close() {
        }
    }
}
