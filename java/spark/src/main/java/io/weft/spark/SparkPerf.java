package io.weft.spark;

import io.weft.core.Bounds;
import io.weft.core.KeyTally;
import io.weft.core.Outcome;
import io.weft.core.PerfAnswer;
import io.weft.core.PerfSource;
import io.weft.core.UsageError;
import io.weft.job.EngineJob;
import java.util.List;
import org.apache.spark.SparkConf;
import picocli.CommandLine.Option;

/**
 * The core set of spark-perf (databricks/spark-perf, 6e4f26d) with its parameters at a smaller default scale and
 * with answers that are checked. The data is made in memory, cached and counted before the measured part; sums are
 * of 64 bits, where the original's could wrap.
 */
public final class SparkPerf extends EngineJob<Session> {
    private static final List<String> TESTS = List.of("scheduling-throughput", "aggregate-by-key",
            "aggregate-by-key-int", "aggregate-by-key-naive", "sort-by-key", "sort-by-key-int", "count",
            "count-with-filter");

    @Option(names = "--test", required = true)
    private String test;

    @Option(names = "--records")
    @Bounds(min = 1, max = Long.MAX_VALUE >> 20)
    private long records = 1_000_000;

    @Option(names = "--unique-keys")
    @Bounds(min = 1, max = Integer.MAX_VALUE - 8)
    private int uniqueKeys = 20_000;

    @Option(names = "--key-length")
    @Bounds(min = 1, max = 10_000)
    private int keyLength = 10;

    @Option(names = "--unique-values")
    @Bounds(min = 1)
    private int uniqueValues = 1_000_000;

    @Option(names = "--value-length")
    @Bounds(min = 1, max = 10_000)
    private int valueLength = 10;

    @Option(names = "--partitions")
    @Bounds(min = 1, max = 1_000_000)
    private int partitions = 8;

    @Option(names = "--reduce-tasks")
    private Integer reduceTasks;

    @Option(names = "--tasks")
    @Bounds(min = 1, max = 10_000_000)
    private int tasks = 10_000;

    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed = 5;

    public static void main(String[] args) {
        main(new SparkPerf(), args);
    }

    @Override
    protected void prepare() {
        if (!TESTS.contains(test)) {
            throw new UsageError("Option --test must be one of " + String.join(", ", TESTS) + ", not " + test + ".");
        }
        reduceTasks = reduceTasks == null ? partitions : reduceTasks;
        if (reduceTasks < 1) {
            throw new UsageError("Option --reduce-tasks must be positive, not " + reduceTasks + ".");
        }
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("sparkperf-" + test), executors());
    }

    @Override
    protected void work(Session session, Outcome outcome) throws Exception {
        PerfSource.Spec spec = new PerfSource.Spec(records, uniqueKeys, uniqueValues, partitions, seed);
        PerfData data = new PerfData(session.spark, spec, phases);
        outcome.put("test", test);
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
