package io.weft.hadoop;

import io.weft.core.LineRanges;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
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
public final class Sort {
    private static final List<String> KEYS = List.of("input", "output", "partitions", "split-bytes", "executors");
    private static final String SPLITTERS = "weft.sort.splitters";

    private Sort() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Sort::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        String input = options.text("input");
        Phases phases = new Phases();
        Job job = phases.time("start", () -> TextJob.of("sort", input, partitions, TextJob.splitBytes(options)));
        job.setMapperClass(Keys.class);
        job.setPartitionerClass(ByRange.class);
        job.setReducerClass(Each.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(NullWritable.class);
        TextJob.writeLines(job, options.text("output"));
        phases.time("sample", () -> {
            String[] splitters = Arrays.stream(LineRanges.sample(input, partitions).splitters())
                    .map(Base64.getEncoder()::encodeToString).toArray(String[]::new);
            job.getConfiguration().setStrings(SPLITTERS, splitters);
            return splitters;
        });
        phases.time("sort", () -> {
            JobRun.run(job);
            return job;
        });
        phases.report(outcome, "sample", "sort");
        TextJob.report(options, job, outcome);
        outcome.same("bytes written", outcome.get("bytes_out"), outcome.get("bytes_in"));
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
