package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.ml.MlOptions;
import io.weft.core.ml.MlValidate;
import io.weft.job.AnswerJob;
import java.util.Map;
import org.apache.spark.SparkConf;
import picocli.CommandLine.Mixin;

/**
 * Tests of MLlib from spark-perf (databricks/spark-perf, 6e4f26d), with data from a seed. The data is made in memory, cached
 * and counted before the measured part. The answer is left for {@link MlValidate}.
 */
public class SparkMl extends AnswerJob<Session> {
    /** One test. */
    @FunctionalInterface
    interface Test {
        void run(MlData data, Answer answer) throws Exception;
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

    @Mixin
    private MlOptions options;

    public static void main(String[] args) {
        main(new SparkMl(), args);
    }

    @Override
    protected void prepare() {
        MlValidate.requireTest(options.spec().test());
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("sparkml-" + options.spec().test()), executors());
    }

    /** The data that is given to the method. */
    MlData data(Session session) {
        return new MlData(session.spark, options.spec(), phases);
    }

    @Override
    protected void work(Session session, Answer answer) throws Exception {
        TESTS.get(options.spec().test()).run(data(session), answer);
    }
}
