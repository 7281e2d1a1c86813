package io.weft.spark;

import io.weft.core.KeyTally;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.PerfAnswer;
import io.weft.core.PerfSource;
import io.weft.core.Phases;
import io.weft.core.Program;
import java.util.List;
import org.apache.spark.SparkConf;

/**
 * The core set of spark-perf (databricks/spark-perf, 6e4f26d) with its parameters at a smaller default scale and
 * with answers that are checked. The data is made in memory, cached and counted before the measured part; sums are
 * of 64 bits, where the original's could wrap.
 */
public final class SparkPerf {
    private static final String[] TESTS = {"scheduling-throughput", "aggregate-by-key", "aggregate-by-key-int",
        "aggregate-by-key-naive", "sort-by-key", "sort-by-key-int", "count", "count-with-filter"};
    private static final List<String> KEYS = Session.keys("test", "records", "unique-keys", "key-length",
            "unique-values", "value-length", "partitions", "reduce-tasks", "tasks", "seed");

    private SparkPerf() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, SparkPerf::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String test = options.choice("test", options.text("test"), TESTS);
        PerfSource.Spec spec = new PerfSource.Spec(
                options.number("records", 1_000_000, 1, Long.MAX_VALUE >> 20),
                options.integer("unique-keys", 20_000, 1, Integer.MAX_VALUE - 8),
                options.integer("unique-values", 1_000_000, 1, Integer.MAX_VALUE),
                options.integer("partitions", 8, 1, 1_000_000),
                options.number("seed", 5, 0, Long.MAX_VALUE));
        int keyLength = options.integer("key-length", 10, 1, 10_000);
        int valueLength = options.integer("value-length", 10, 1, 10_000);
        int reduceTasks = options.integer("reduce-tasks", spec.partitions(), 1, 1_000_000);
        int tasks = options.integer("tasks", 10_000, 1, 10_000_000);
        Phases phases = new Phases();
        SparkConf conf = new SparkConf().setAppName("sparkperf-" + test);
        Session session = phases.time("start", () -> new Session(conf, options));
        outcome.put("test", test);
        try (session) {
            PerfData data = new PerfData(session.spark, spec, phases);
            switch (test) {
                case "scheduling-throughput" -> scheduling(data.schedule(tasks), tasks, outcome);
                case "aggregate-by-key" -> summed(data.sumText(keyLength, valueLength, reduceTasks), spec, outcome);
                case "aggregate-by-key-int" -> summed(data.sumNumbers(reduceTasks), spec, outcome);
                case "aggregate-by-key-naive" -> summed(data.groupText(keyLength, valueLength), spec, outcome);
                case "sort-by-key" -> sorted(data.sortText(keyLength, valueLength, reduceTasks), spec, outcome);
                case "sort-by-key-int" -> sorted(data.sortNumbers(reduceTasks), spec, outcome);
                case "count" -> count(data.count(keyLength, valueLength), PerfAnswer.of(spec).records(), outcome);
                default -> count(data.countOdd(keyLength, valueLength), PerfAnswer.of(spec).odd(), outcome);
            }
        }
        phases.report(outcome, "measured");
        session.report(outcome);
    }

    /** Each task gives its own number, so that the sum is right only if each gave it once. */
    private static void scheduling(long sum, int tasks, Outcome outcome) {
        outcome.same("sum of task numbers", sum, (tasks - 1L) * tasks / 2);
        outcome.put("scheduled_tasks", tasks).put("sum", sum);
    }

    private static void summed(KeyTally tally, PerfSource.Spec spec, Outcome outcome) {
        tally.check(PerfAnswer.of(spec).summed(), false, outcome);
    }

    private static void sorted(KeyTally tally, PerfSource.Spec spec, Outcome outcome) {
        tally.check(PerfAnswer.of(spec).all(), true, outcome);
    }

    private static void count(long count, long expected, Outcome outcome) {
        outcome.same("count", count, expected);
        outcome.put("count", count);
    }
}
