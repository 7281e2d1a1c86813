package io.weft.hadoop;

import io.weft.core.Attempt;
import io.weft.core.LineTally;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.TextSplit;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** What the workloads on text share: jobs that read lines, counts of strings, and parts of lines. */
final class TextJob {
    static final String PATTERN = "weft.pattern";

    private TextJob() {
    }

    /** A job that reads the lines of an input in splits; its mapper and all else are to be set. */
    static Job of(String name, String input, int partitions, long splitBytes) throws IOException {
        TextSplit.files(input);
        Job job = Job.getInstance(new Configuration(), name);
        job.setJarByClass(TextJob.class);
        job.setInputFormatClass(TextInputFormat.class);
        FileInputFormat.setInputPaths(job, input);
        FileInputFormat.setMinInputSplitSize(job, splitBytes);
        FileInputFormat.setMaxInputSplitSize(job, splitBytes);
        job.setNumReduceTasks(partitions);
        return job;
    }

    /** A job that counts words, or the matches of a pattern that is not empty; its output is to be set. */
    static Job counting(String name, Options options, String pattern) throws IOException {
        Job job = of(name, options.text("input"), options.integer("partitions", 8, 1, 1_000_000), splitBytes(options));
        job.getConfiguration().set(PATTERN, pattern);
        job.setMapperClass(Tally.class);
        job.setReducerClass(LongSumReducer.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(LongWritable.class);
        return job;
    }

    static long splitBytes(Options options) {
        return options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40);
    }

    /** Lines into an output directory that may be there but must be empty. */
    static void writeLines(Job job, String output) {
        job.setOutputFormatClass(LineFiles.class);
        FileOutputFormat.setOutputPath(job, new Path(output));
    }

    /** Puts what went in and out, and the totals over the tasks of a job. */
    static void report(Options options, Job job, Outcome outcome) throws IOException {
        outcome.put("bytes_in", TextSplit.bytes(options.text("input")))
                .put("bytes_out", TextSplit.bytes(options.text("output")));
        JobRun.report(job, outcome);
    }

    /** Counts what is in its split in a table of its own, and gives each string once. */
    static final class Tally extends Mapper<LongWritable, Text, Text, LongWritable> {
        @Override
        public void run(Context context) throws IOException, InterruptedException {
            var tally = LineTally.of(context.getConfiguration().get(PATTERN, ""));
            while (context.nextKeyValue()) {
                Text line = context.getCurrentValue();
                tally.line(line.getBytes(), 0, line.getLength());
                if (tally.full()) {
                    drain(tally, context);
                }
            }
            drain(tally, context);
        }

        private static void drain(LineTally tally, Context context) {
            Text text = new Text();
            LongWritable number = new LongWritable();
            tally.counts.drain((bytes, count) -> {
                text.set(bytes);
                number.set(count);
                try {
                    context.write(text, number);
                } catch (IOException error) {
                    throw new java.io.UncheckedIOException(error);
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException("the task was stopped", stopped);
                }
            });
        }
    }

    /** Text output whose directory may be there, as weft makes it, but must be empty. */
    static final class LineFiles extends TextOutputFormat<Object, Object> {
        @Override
        public void checkOutputSpecs(JobContext job) throws IOException {
            Attempt.requireEmpty(getOutputPath(job).toString());
        }
    }
}
