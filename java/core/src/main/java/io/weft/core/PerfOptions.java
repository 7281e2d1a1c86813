package io.weft.core;

import java.util.List;
import picocli.CommandLine.Option;

/** What a test of the spark-perf core set is asked to do, which decides what it has to find. */
public final class PerfOptions {
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

    @Option(names = "--unique-values")
    @Bounds(min = 1)
    private int uniqueValues = 1_000_000;

    @Option(names = "--partitions")
    @Bounds(min = 1, max = 1_000_000)
    private int partitions = 8;

    @Option(names = "--tasks")
    @Bounds(min = 1, max = 10_000_000)
    private int tasks = 10_000;

    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed = 5;

    /** @throws UsageError when there is no such test */
    public String test() {
        if (!TESTS.contains(test)) {
            throw new UsageError("Option --test must be one of " + String.join(", ", TESTS) + ", not " + test + ".");
        }
        return test;
    }

    /** The data. */
    public PerfSource.Spec spec() {
        return new PerfSource.Spec(records, uniqueKeys, uniqueValues, partitions, seed);
    }

    /** Tasks of scheduling-throughput. */
    public int tasks() {
        return tasks;
    }
}
