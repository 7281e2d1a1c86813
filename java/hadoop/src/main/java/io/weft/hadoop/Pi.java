package io.weft.hadoop;

import io.weft.core.Halton;
import io.weft.job.PiJob;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/** Counts the points of a Halton sequence that lie in a circle; each map task has a range of the sequence. */
public final class Pi extends PiJob<Session> {
    private static final String POINTS = "weft.pi.points";
    private static final String TASKS = "weft.pi.tasks";

    /** What the job finds. */
    enum Found {
        /** Points in the circle. */
        INSIDE
    }

    public static void main(String[] args) {
        main(new Pi(), args);
    }

    @Override
    protected Session open() {
        return new Session();
    }

    @Override
    protected long inside(Session session, long points, int tasks) throws Exception {
        Job job = Job.getInstance(new Configuration(), "pi");
        job.getConfiguration().setLong(POINTS, points);
        job.getConfiguration().setInt(TASKS, tasks);
        NumberInput.set(job.getConfiguration(), tasks, tasks);
        job.setJarByClass(Pi.class);
        job.setInputFormatClass(NumberInput.class);
        job.setMapperClass(Count.class);
        job.setReducerClass(Sum.class);
        job.setNumReduceTasks(1);
        job.setMapOutputKeyClass(NullWritable.class);
        job.setMapOutputValueClass(LongWritable.class);
        job.setOutputFormatClass(NullOutputFormat.class);
        phases.measure("count", () -> session.run(job));
        return Session.counters(job).findCounter(Found.INSIDE).getValue();
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
}
