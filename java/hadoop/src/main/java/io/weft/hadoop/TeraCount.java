package io.weft.hadoop;

import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.TeraRecord;
import java.util.List;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/**
 * TeraSort's shuffle without its sort and without output: every record is counted where it arrives, and its key is
 * held against the range of that partition. With {@code --checksum} the sum of the CRC32 is compared too.
 */
public final class TeraCount {
    static final List<String> KEYS = List.of("input", "partitions", "split-bytes", "checksum", "executors");

    private TeraCount() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, TeraCount::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        String checksum = options.text("checksum", "");
        long splitBytes = options.number("split-bytes", TeraJob.SPLIT_BYTES, TeraRecord.LENGTH, 1L << 40);
        Phases phases = new Phases();
        TeraJob tera = phases.time("start",
                () -> new TeraJob("teracount", options.text("input"), partitions, splitBytes));
        tera.job.setReducerClass(CountRange.class);
        tera.job.setOutputFormatClass(NullOutputFormat.class);
        tera.job.setOutputKeyClass(NullWritable.class);
        tera.job.setOutputValueClass(NullWritable.class);
        phases.time("sample", () -> {
            Ranges.sample(tera.splits, partitions, tera.job.getConfiguration());
            return null;
        });
        phases.time("count", () -> {
            JobRun.run(tera.job);
            return null;
        });
        CountRange.check(tera.job.getCounters(), tera.splits.rows(), checksum, outcome);
        outcome.put("partitions", partitions).put("bytes_in", tera.splits.bytes());
        phases.report(outcome, "sample", "count");
        JobRun.report(tera.job, outcome);
    }
}
