package io.weft.spark;

import io.weft.core.Bounds;
import io.weft.core.Outcome;
import io.weft.core.UsageError;
import io.weft.job.EngineJob;
import java.util.Map;
import org.apache.spark.SparkConf;
import picocli.CommandLine.Option;

/**
 * Tests of MLlib from spark-perf (databricks/spark-perf, 6e4f26d), with data from a seed and with
 * answers that are compared with ones computed without Spark. The data is made in memory, cached and counted before the
 * measured part.
 */
public final class SparkMl extends EngineJob<Session> {
    /** One test. */
    @FunctionalInterface
    interface Test {
        void run(MlData data, Outcome outcome) throws Exception;
    }

    private static final Map<String, Test> TESTS = Map.ofEntries(Map.entry("summary-statistics", MlStatistics::summary),
            Map.entry("pearson", MlStatistics::pearson), Map.entry("spearman", MlStatistics::spearman),
            Map.entry("chi-sq-feature", MlStatistics::feature), Map.entry("chi-sq-gof", MlStatistics::fit),
            Map.entry("chi-sq-mat", MlStatistics::matrix), Map.entry("svd", MlAlgebra::svd),
            Map.entry("pca", MlAlgebra::pca), Map.entry("block-matrix-mult", MlAlgebra::multiply),
            Map.entry("fp-growth", MlPatterns::itemsets), Map.entry("prefix-span", MlPatterns::sequences),
            Map.entry("naive-bayes", MlPatterns::bayes), Map.entry("glm-regression", MlModels::regression),
            Map.entry("glm-classification", MlModels::classification), Map.entry("decision-tree", MlModels::tree),
            Map.entry("als", MlModels::ratings), Map.entry("kmeans", MlClusters::means),
            Map.entry("gmm", MlClusters::mixture), Map.entry("pic", MlClusters::communities),
            Map.entry("lda", MlText::topics), Map.entry("word2vec", MlText::synonyms));

    @Option(names = "--test", required = true)
    private String test;

    @Option(names = "--rows", required = true)
    @Bounds(min = 2, max = 100_000_000)
    private int rows;

    @Option(names = "--columns", required = true)
    @Bounds(min = 2, max = 100_000)
    private int columns;

    @Option(names = "--rank")
    @Bounds(min = 1, max = 1000)
    private int rank = 10;

    @Option(names = "--block")
    @Bounds(min = 1, max = 100_000)
    private int block = 1024;

    @Option(names = "--support")
    @Bounds(min = 0, max = 1)
    private double support = 0.01;

    @Option(names = "--longest")
    @Bounds(min = 1, max = 100)
    private int longest = 10;

    @Option(names = "--partitions")
    @Bounds(min = 1, max = 1_000_000)
    private int partitions = 8;

    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed = 5;

    public static void main(String[] args) {
        main(new SparkMl(), args);
    }

    @Override
    protected void prepare() {
        if (!TESTS.containsKey(test)) {
            throw new UsageError("Option --test must be one of " + String.join(", ", TESTS.keySet().stream().sorted()
                    .toList()) + ", not " + test + ".");
        }
        rank = Math.min(rank, columns);
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("sparkml-" + test), executors());
    }

    @Override
    protected void work(Session session, Outcome outcome) throws Exception {
        outcome.put("test", test).put("rows", rows).put("columns", columns);
        MlData.Sizes sizes = new MlData.Sizes(rows, columns, rank, block, support, longest, partitions, seed);
        TESTS.get(test).run(new MlData(session.spark, sizes, phases), outcome);
    }
}
