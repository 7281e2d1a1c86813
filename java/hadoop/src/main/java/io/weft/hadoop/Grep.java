package io.weft.hadoop;

import io.weft.core.Store;
import io.weft.core.TextSplit;
import io.weft.job.GrepJob;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/**
 * Counts the strings that match a regular expression, as Hadoop's example does: one job counts, and a second brings the
 * counts into falling order in one part. Checked by {@code GrepValidate}.
 */
public final class Grep extends GrepJob<Session> {
    public static void main(String[] args) {
        main(new Grep(), args);
    }

    @Override
    protected Session open() {
        return new Session();
    }

    @Override
    protected long write(Session session) throws Exception {
        // an input whose own name begins with _ would be taken for hidden
        String between = aside() + "/counts";
        Job counting = TextJobs.counting("grep-search", input(), partitions(), splitBytes(), pattern());
        counting.setReducerClass(Sum.class);
        counting.setMapOutputKeyClass(Text.class);
        counting.setMapOutputValueClass(LongWritable.class);
        counting.setOutputValueClass(NullWritable.class);
        counting.setOutputFormatClass(SequenceFileOutputFormat.class);
        FileOutputFormat.setOutputPath(counting, new Path(between));
        phases.measure("search", () -> {
            session.run(counting);
            return session.run(ordering(between, output()));
        });
        session.ran(counting);
        return TextSplit.bytes(output());
    }

    private String aside() {
        return output() + "/_search";
    }

    @Override
    protected void tidy() throws Exception {
        Store.of(aside()).delete(aside());
        super.tidy();
    }

    private static Job ordering(String counts, String output) throws IOException {
        Job job = Job.getInstance(new Configuration(), "grep-sort");
        job.setJarByClass(Grep.class);
        job.setInputFormatClass(SequenceFileInputFormat.class);
        FileInputFormat.setInputPaths(job, counts);
        job.setNumReduceTasks(1);
        job.setReducerClass(Write.class);
        job.setMapOutputKeyClass(Text.class);
        job.setMapOutputValueClass(NullWritable.class);
        TextJobs.writeLines(job, output);
        return job;
    }

    /** Gives each string as a key that sorts by falling count, then by the string: 19 digits and the string. */
    static final class Sum extends Reducer<Text, LongWritable, Text, NullWritable> {
        private final Text key = new Text();

        @Override
        protected void reduce(Text text, Iterable<LongWritable> counts, Context context)
                throws IOException, InterruptedException {
            long sum = 0;
            for (LongWritable count : counts) {
                sum += count.get();
            }
            key.set(String.format(Locale.ROOT, "%019d", Long.MAX_VALUE - sum));
            key.append(text.getBytes(), 0, text.getLength());
            context.write(key, NullWritable.get());
        }
    }

    /** Writes string and count of such keys. */
    static final class Write extends Reducer<Text, NullWritable, Text, LongWritable> {
        private static final int DIGITS = 19;
        private final Text text = new Text();
        private final LongWritable count = new LongWritable();

        @Override
        protected void reduce(Text key, Iterable<NullWritable> once, Context context)
                throws IOException, InterruptedException {
            String digits = new String(key.getBytes(), 0, DIGITS, StandardCharsets.US_ASCII);
            text.set(key.getBytes(), DIGITS, key.getLength() - DIGITS);
            count.set(Long.MAX_VALUE - Long.parseLong(digits));
            context.write(text, count);
        }
    }
}
