package io.weft.hadoop;

import io.weft.core.Halton;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/** Counts the points of a Halton sequence that lie in a circle; each map task has a range of the sequence. */
public final class Pi {
    private static final List<String> KEYS = List.of("points", "tasks", "executors");
    private static final String POINTS = "weft.pi.points";
    private static final String TASKS = "weft.pi.tasks";

    private Pi() {
    }

    /** What the job finds. */
    enum Found {
        /** Points in the circle. */
        INSIDE
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Pi::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        long points = options.number("points", 1, Halton.MOST);
        Phases phases = new Phases();
        Job job = Job.getInstance(new Configuration(), "pi");
        job.getConfiguration().setLong(POINTS, points);
        job.getConfiguration().setInt(TASKS, options.integer("tasks", 8, 1, 1_000_000));
        job.setJarByClass(Pi.class);
        job.setInputFormatClass(Numbers.class);
        job.setMapperClass(Count.class);
        job.setReducerClass(Sum.class);
        job.setNumReduceTasks(1);
        job.setMapOutputKeyClass(NullWritable.class);
        job.setMapOutputValueClass(LongWritable.class);
        job.setOutputFormatClass(NullOutputFormat.class);
        phases.time("count", () -> {
            JobRun.run(job);
            return job;
        });
        long inside = job.getCounters().findCounter(Found.INSIDE).getValue();
        outcome.put("points", points).put("inside", inside).put("pi", 4.0 * inside / points);
        phases.report(outcome, "count");
        JobRun.report(job, outcome);
    }

    /** Counts in the range of a task. */
    static final class Count extends Mapper<IntWritable, NullWritable, NullWritable, LongWritable> {
        @Override
        protected void map(IntWritable task, NullWritable nothing, Context context)
                throws IOException, InterruptedException {
            long points = context.getConfiguration().getLong(POINTS, 0);
            int tasks = context.getConfiguration().getInt(TASKS, 1);
            long inside = Halton.count(Halton.start(points, tasks, task.get()),
                    Halton.start(points, tasks, task.get() + 1));
            context.write(NullWritable.get(), new LongWritable(inside));
        }
    }

    /** Adds up what the tasks found. */
    static final class Sum extends Reducer<NullWritable, LongWritable, NullWritable, NullWritable> {
        @Override
        protected void reduce(NullWritable key, Iterable<LongWritable> counts, Context context) {
            for (LongWritable count : counts) {
                context.getCounter(Found.INSIDE).increment(count.get());
            }
        }
    }

    /** An input without files: a split for each task, which holds its number. */
    static final class Numbers extends InputFormat<IntWritable, NullWritable> {
        @Override
        public List<InputSplit> getSplits(JobContext job) {
            return IntStream.range(0, job.getConfiguration().getInt(TASKS, 1)).mapToObj(task -> {
                InputSplit split = new Number();
                ((Number) split).task.set(task);
                return split;
            }).toList();
        }

        @Override
        public RecordReader<IntWritable, NullWritable> createRecordReader(InputSplit split,
                TaskAttemptContext context) {
            return new Once(((Number) split).task);
        }
    }

    /** The number of a task. */
    static final class Number extends InputSplit implements Writable {
        private final IntWritable task = new IntWritable();

        @Override
        public long getLength() {
            return 1;
        }

        @Override
        public String[] getLocations() {
            return new String[0];
        }

        @Override
        public void write(DataOutput out) throws IOException {
            task.write(out);
        }

        @Override
        public void readFields(DataInput in) throws IOException {
            task.readFields(in);
        }
    }

    /** Reads one number. */
    private static final class Once extends RecordReader<IntWritable, NullWritable> {
        private final IntWritable task;
        private boolean done;

        Once(IntWritable task) {
            this.task = task;
        }

        @Override
        public void initialize(InputSplit split, TaskAttemptContext context) {
            // the number came with the split
        }

        @Override
        public boolean nextKeyValue() {
            boolean first = !done;
            done = true;
            return first;
        }

        @Override
        public IntWritable getCurrentKey() {
            return task;
        }

        @Override
        public NullWritable getCurrentValue() {
            return NullWritable.get();
        }

        @Override
        public float getProgress() {
            return done ? 1 : 0;
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
