package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.Bounds;
import io.weft.core.KeyTally;
import io.weft.core.PerfOptions;
import io.weft.core.PerfValidate;
import io.weft.core.UsageError;
import io.weft.job.AnswerJob;
import java.util.List;
import org.apache.spark.SparkConf;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The core set of spark-perf (databricks/spark-perf, 6e4f26d) with its parameters at a smaller default scale and
 * with answers that are checked. The data is made in memory, cached and counted before the measured part; sums are
 * of 64 bits, where the original's could wrap.
 */
public final class SparkPerf extends AnswerJob<Session> {
    @Mixin
    private PerfOptions asked;

    @Option(names = "--key-length")
    @Bounds(min = 1, max = 10_000)
    private int keyLength = 10;

    @Option(names = "--value-length")
    @Bounds(min = 1, max = 10_000)
    private int valueLength = 10;

    @Option(names = "--reduce-tasks")
    private Integer reduceTasks;

    public static void main(String[] args) {
        main(new SparkPerf(), args);
    }

    @Override
    protected void prepare() {
        reduceTasks = reduceTasks == null ? asked.spec().partitions() : reduceTasks;
        if (reduceTasks < 1) {
            throw new UsageError("Option --reduce-tasks must be positive, not " + reduceTasks + ".");
        }
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("sparkperf-" + asked.test()), executors());
    }

    @Override
    protected void work(Session session, Answer answer) throws Exception {
        PerfData data = new PerfData(session.spark, asked.spec(), phases);
        switch (asked.test()) {
            case "scheduling-throughput" -> answer.put(PerfValidate.ONE, data.schedule(asked.tasks()));
            case "aggregate-by-key" -> put(data.sumText(keyLength, valueLength, reduceTasks), answer);
            case "aggregate-by-key-int" -> put(data.sumNumbers(reduceTasks), answer);
            case "aggregate-by-key-naive" -> put(data.groupText(keyLength, valueLength), answer);
            case "sort-by-key" -> put(data.sortText(keyLength, valueLength, reduceTasks), answer);
            case "sort-by-key-int" -> put(data.sortNumbers(reduceTasks), answer);
            case "count" -> answer.put(PerfValidate.ONE, data.count(keyLength, valueLength));
            default -> answer.put(PerfValidate.ONE, data.countOdd(keyLength, valueLength));
        }
    }

    private static void put(List<KeyTally> partitions, Answer answer) {
        for (int number = 0; number < partitions.size(); number++) {
            partitions.get(number).put(PerfValidate.partition(number), answer);
        }
    }
}
