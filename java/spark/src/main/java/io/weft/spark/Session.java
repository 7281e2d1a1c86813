package io.weft.spark;

import io.weft.core.Options;
import io.weft.core.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A Spark application whose executors are all there before anything is measured. Option {@code executors} says how
 * many to wait for. Settings of the command line win over those a program sets if they are missing.
 */
final class Session implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(180);

    final JavaSparkContext spark;
    private final TaskTotals totals = new TaskTotals();

    /** @throws IllegalStateException when the executors do not come up within 180 s */
    Session(SparkConf conf, Options options) throws InterruptedException {
        int executors = options.integer("executors", 1, 0, 1_000_000);
        spark = new JavaSparkContext(conf);
        spark.sc().addSparkListener(totals);
        try {
            await(executors);
        } catch (IllegalStateException late) {
            spark.close();
            throw late;
        }
    }

    /** The keys of a program's own options and of those every program here has. */
    static List<String> keys(String... own) {
        List<String> keys = new ArrayList<>(List.of(own));
        keys.add("executors");
        return keys;
    }

    /** Puts the totals over all finished tasks; to be called after {@link #close}, when all have been counted. */
    void report(Outcome outcome) {
        totals.report(outcome);
    }

    private void await(int executors) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        // the driver is listed among the executors
        while (spark.sc().statusTracker().getExecutorInfos().length - 1 < executors) {
            if (System.nanoTime() > deadline) {
                int there = spark.sc().statusTracker().getExecutorInfos().length - 1;
                throw new IllegalStateException("only " + there + " of " + executors + " executors came up in "
                        + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
            }
            Thread.sleep(50);
        }
    }

    @Override
    public void close() {
        spark.close();
    }
}
