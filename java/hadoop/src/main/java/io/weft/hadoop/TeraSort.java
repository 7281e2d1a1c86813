package io.weft.hadoop;

import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.TeraRecord;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * Sorts TeraGen's records into a total order over numbered parts. The measured seconds hold sampling and the whole job,
 * from its submission until it is done; the order itself is checked by {@code TeraValidate}.
 */
public final class TeraSort {
    static final List<String> KEYS =
            List.of("input", "output", "partitions", "split-bytes", "method", "executors");

    private TeraSort() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, TeraSort::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String method = options.choice("method", "raw", "raw", "stock");
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        long splitBytes = options.number("split-bytes", TeraJob.SPLIT_BYTES, TeraRecord.LENGTH, 1L << 40);
        String output = options.text("output");
        Phases phases = new Phases();
        TeraJob tera = phases.time("start",
                () -> new TeraJob("terasort", options.text("input"), partitions, splitBytes));
        Job done = method.equals("stock")
                ? phases.time("sort", () -> StockSort.run(tera, output)) : sort(tera, output, partitions, phases);
        long rows = JobRun.value(done.getCounters(), TaskCounter.REDUCE_OUTPUT_RECORDS);
        outcome.same("rows written", rows, tera.splits.rows());
        outcome.put("method", method).put("partitions", partitions).put("rows_in", tera.splits.rows()).put("rows_out", rows)
                .put("bytes_in", tera.splits.bytes()).put("bytes_out", rows * TeraRecord.LENGTH);
        phases.report(outcome, "sample", "sort");
        JobRun.report(done, outcome);
    }

    private static Job sort(TeraJob tera, String output, int partitions, Phases phases) throws Exception {
        Job job = tera.job;
        job.setReducerClass(SortRange.class);
        job.setOutputFormatClass(RecordOutput.class);
        job.setOutputKeyClass(NullWritable.class);
        job.setOutputValueClass(Records.class);
        FileOutputFormat.setOutputPath(job, new Path(output));
        phases.time("sample", () -> {
            Ranges.sample(tera.splits, partitions, job.getConfiguration());
            return null;
        });
        return phases.time("sort", () -> {
            JobRun.run(job);
            return job;
        });
    }
}
