package io.weft.spark;

import io.weft.core.Attempt;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.Splits;
import io.weft.core.Store;
import io.weft.core.TeraRecord;
import java.util.List;
import org.apache.spark.SparkConf;

/**
 * Sorts TeraGen's records into a total order over numbered parts. The measured seconds hold sampling and sorting,
 * from the first read of a record to the last rename; the order itself is checked by {@code TeraValidate}.
 */
public final class TeraSort {
    static final long SPLIT_BYTES = 128 << 20;
    private static final List<String> KEYS =
            Session.keys("input", "output", "partitions", "split-bytes", "method");

    private TeraSort() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, TeraSort::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String method = options.choice("method", "raw", "raw", "kryo");
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        String output = options.text("output");
        long splitBytes = options.number("split-bytes", SPLIT_BYTES, TeraRecord.LENGTH, 1L << 40);
        String input = options.text("input");
        Splits splits = new Splits(input, splitBytes);
        Attempt.requireEmpty(output);
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(conf(method), options));
        List<Long> parts;
        try (session) {
            parts = sorter(method).sort(session.spark, splits, output, partitions, phases);
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        long rows = parts.stream().mapToLong(Long::longValue).sum();
        outcome.same("rows written", rows, splits.rows());
        outcome.put("method", method).put("partitions", partitions).put("splits", splits.splits.size())
                .put("rows_in", splits.rows()).put("rows_out", rows)
                .put("bytes_in", splits.bytes()).put("bytes_out", rows * TeraRecord.LENGTH);
        phases.report(outcome, "sample", "sort");
        session.report(outcome);
    }

    private static SortMethod sorter(String method) {
        return method.equals("kryo") ? new KryoSort() : new RawSort();
    }

    static SparkConf conf(String method) {
        SparkConf conf = new SparkConf().setAppName("terasort-" + method);
        if (method.equals("kryo")) {
            return conf.set("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
        }
        // without a file for each range of each map task, however few the ranges are
        return conf.setIfMissing("spark.shuffle.sort.bypassMergeThreshold", "0");
    }
}
