package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.job.EngineSession;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A Spark application whose executors are all there before anything is measured. Settings of the command line win over
 * those a program sets if they are missing.
 */
final class Session implements EngineSession {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(180);
    private static final long PAUSE_MILLIS = 10;

    final JavaSparkContext spark;
    private final TaskTotals totals = new TaskTotals();

    /** @throws IllegalStateException when the executors do not come up within 180 s */
    Session(SparkConf conf, int executors) throws InterruptedException {
        this(conf, executors, () -> { });
    }

    /** The same; {@code meanwhile} is done by the driver while its executors start. */
    Session(SparkConf conf, int executors, Runnable meanwhile) throws InterruptedException {
        spark = ReadyContext.of(conf);
        spark.sc().addSparkListener(totals);
        try {
            meanwhile.run();
            await(spark, executors);
        } catch (IllegalStateException late) {
            spark.close();
            throw late;
        }
    }

    /** Puts the totals over all finished tasks, and why there was another context than the one that was ready. */
    @Override
    public void report(Outcome outcome) {
        totals.report(outcome);
        ReadyContext.report(outcome);
    }

    /**
     * Returns when a context has its executors.
     *
     * @throws IllegalStateException when they do not come up within 180 s
     */
    static void await(JavaSparkContext spark, int executors) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        // the driver is listed among the executors
        while (spark.sc().statusTracker().getExecutorInfos().length - 1 < executors) {
            if (System.nanoTime() > deadline) {
                int there = spark.sc().statusTracker().getExecutorInfos().length - 1;
                throw new IllegalStateException("only " + there + " of " + executors + " executors came up in "
                        + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    @Override
    public void close() {
        spark.close();
    }
}
