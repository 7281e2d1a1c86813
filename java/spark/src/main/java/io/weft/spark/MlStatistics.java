package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.ml.Table;
import java.util.Arrays;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.linalg.Matrices;
import org.apache.spark.mllib.linalg.Matrix;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.regression.LabeledPoint;
import org.apache.spark.mllib.stat.MultivariateStatisticalSummary;
import org.apache.spark.mllib.stat.Statistics;
import org.apache.spark.mllib.stat.test.ChiSqTestResult;

/** Statistics of columns, correlations, and Pearson's tests. */
final class MlStatistics {
    private MlStatistics() {
    }

    static void summary(MlData data, Answer answer) throws Exception {
        JavaRDD<Vector> rows = data.vectors(data.spec.mixed());
        MultivariateStatisticalSummary found = data.measured(() -> {
            MultivariateStatisticalSummary summary = Statistics.colStats(rows.rdd());
            summary.variance();
            return summary;
        });
        answer.put("count", found.count()).putNumbers("mean", found.mean().toArray())
                .putNumbers("variance", found.variance().toArray()).putNumbers("least", found.min().toArray())
                .putNumbers("greatest", found.max().toArray()).putNumbers("nonzeros", found.numNonzeros().toArray())
                .putNumbers("absolute", found.normL1().toArray()).putNumbers("norm", found.normL2().toArray());
    }

    static void pearson(MlData data, Answer answer) throws Exception {
        correlation(data, "pearson", answer);
    }

    static void spearman(MlData data, Answer answer) throws Exception {
        correlation(data, "spearman", answer);
    }

    private static void correlation(MlData data, String method, Answer answer) throws Exception {
        JavaRDD<Vector> rows = data.vectors(data.spec.mixed());
        Matrix found = data.measured(() -> Statistics.corr(rows.rdd(), method));
        answer.putRows("correlations", MlAlgebra.columns(found));
    }

    static void feature(MlData data, Answer answer) throws Exception {
        Table table = data.spec.categories();
        JavaRDD<LabeledPoint> points = data.labelled(table.rows(), table::row);
        ChiSqTestResult[] found = data.measured(() -> Statistics.chiSqTest(points));
        for (int feature = 0; feature < found.length; feature++) {
            put("feature " + feature, found[feature], answer);
        }
    }

    private static void put(String name, ChiSqTestResult found, Answer answer) {
        answer.putNumbers(name, found.statistic(), found.degreesOfFreedom());
    }

    static void fit(MlData data, Answer answer) throws Exception {
        double[] counts = new double[data.spec.rows()];
        Arrays.setAll(counts, row -> data.spec.count(row, 0));
        put("result", data.measured(() -> Statistics.chiSqTest(Vectors.dense(counts))), answer);
    }

    static void matrix(MlData data, Answer answer) throws Exception {
        int rows = data.spec.rows();
        double[] counts = new double[rows * data.spec.columns()];
        Arrays.setAll(counts, at -> data.spec.count(at % rows, at / rows));
        Matrix matrix = Matrices.dense(rows, data.spec.columns(), counts);
        put("result", data.measured(() -> Statistics.chiSqTest(matrix)), answer);
    }
}
