package io.weft.hadoop;

import io.weft.core.LineRanges;
import io.weft.core.TextSplit;
import io.weft.job.SortJob;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * Sorts the lines of a text as unsigned bytes into a total order over numbered parts, by MapReduce's own sort. The
 * measured seconds hold sampling and sorting; the order is checked by {@code SortValidate}.
 */
public final class Sort extends SortJob<Session> {
    private static final String SPLITTERS = "weft.sort.splitters";

    public static void main(String[] args) {
        main(new Sort(), args);
    }

    @Override
    protected Session open() {
        return new Session();
    }

    @Override
    protected long write(Session session) throws Exception {
        Job job = TextJobs.of("sort", input(), partitions(), splitBytes());
        job.setMapperClass(Keys.class);
        job.setPartitionerClass(ByRange.class);
        job.setReducerClass(Each.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(NullWritable.class);
        TextJobs.writeLines(job, output());
        String[] splitters = Arrays.stream(phases.measure("sample",
                () -> LineRanges.sample(input(), partitions()).splitters()))
                .map(Base64.getEncoder()::encodeToString).toArray(String[]::new);
        job.getConfiguration().setStrings(SPLITTERS, splitters);
        phases.measure("sort", () -> session.run(job));
        return TextSplit.bytes(output());
    }

    /** The line is the key. */
    static final class Keys extends Mapper<LongWritable, Text, Text, NullWritable> {
        @Override
        protected void map(LongWritable position, Text line, Context context)
                throws IOException, InterruptedException {
            context.write(line, NullWritable.get());
        }
    }

    /** A line goes to the partition of its range. */
    static final class ByRange extends Partitioner<Text, NullWritable> implements Configurable {
        private Configuration settings;
        private LineRanges ranges;

        @Override
        public void setConf(Configuration given) {
            settings = given;
            // getStrings would drop an empty splitter, which an empty line can be
            String[] splitters = given.get(SPLITTERS, "").split(",", -1);
            boolean none = splitters.length == 1 && splitters[0].isEmpty();
            ranges = LineRanges.of(none ? new byte[0][] : Arrays.stream(splitters)
                    .map(Base64.getDecoder()::decode).toArray(byte[][]::new));
        }

        @Override
        public Configuration getConf() {
            return settings;
        }

        @Override
        public int getPartition(Text line, NullWritable nothing, int partitions) {
            return ranges.range(line.getBytes(), 0, line.getLength());
        }
    }

    /** A line as often as it came. */
    static final class Each extends Reducer<Text, NullWritable, Text, NullWritable> {
        @Override
        protected void reduce(Text line, Iterable<NullWritable> times, Context context)
                throws IOException, InterruptedException {
            for (NullWritable once : times) {
                context.write(line, once);
            }
        }
    }
}
