package io.weft.hadoop;

import io.weft.core.Attempt;
import io.weft.core.LineTally;
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
final class TextJobs {
    static final String PATTERN = "weft.pattern";

    private TextJobs() {
    }

    /** A job that reads the lines of an input in splits; its mapper and all else are to be set. */
    static Job of(String name, String input, int partitions, long splitBytes) throws IOException {
        Job job = Job.getInstance(new Configuration(), name);
        job.setJarByClass(TextJobs.class);
        job.setInputFormatClass(TextInputFormat.class);
        FileInputFormat.setInputPaths(job, input);
        FileInputFormat.setMinInputSplitSize(job, splitBytes);
        FileInputFormat.setMaxInputSplitSize(job, splitBytes);
        job.setNumReduceTasks(partitions);
        return job;
    }

    /** A job that counts words, or the matches of a pattern that is not empty; its output is to be set. */
    static Job counting(String name, String input, int partitions, long splitBytes, String pattern)
            throws IOException {
        Job job = of(name, input, partitions, splitBytes);
        job.getConfiguration().set(PATTERN, pattern);
        job.setMapperClass(Tally.class);
        job.setReducerClass(LongSumReducer.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(LongWritable.class);
        return job;
    }

    /** Lines into an output directory that may be there but must be empty. */
    static void writeLines(Job job, String output) {
        job.setOutputFormatClass(LineFiles.class);
        FileOutputFormat.setOutputPath(job, new Path(output));
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
