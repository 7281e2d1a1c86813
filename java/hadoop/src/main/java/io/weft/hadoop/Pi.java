package io.weft.hadoop;

import io.weft.core.Halton;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
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
        int tasks = options.integer("tasks", 8, 1, 1_000_000);
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
}
