package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.ml.ChiSquare;
import io.weft.core.ml.Moments;
import io.weft.core.ml.Near;
import io.weft.core.ml.Ranks;
import io.weft.core.ml.Seeded;
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
    private static final double BOUND = 1e-9;
    private static final int CATEGORIES = 6;

    private MlStatistics() {
    }

    static void summary(MlData data, Outcome outcome) throws Exception {
        JavaRDD<Vector> rows = data.vectors(data.mixed());
        MultivariateStatisticalSummary found = data.measured(() -> {
            MultivariateStatisticalSummary summary = Statistics.colStats(rows.rdd());
            summary.variance();
            return summary;
        });
        Moments right = Moments.of(data.mixed());
        Near near = new Near(outcome, BOUND);
        near.same("count", found.count(), right.count());
        near.same("mean", found.mean().toArray(), right.mean());
        near.same("variance", found.variance().toArray(), right.variance());
        near.same("least", found.min().toArray(), right.least());
        near.same("greatest", found.max().toArray(), right.greatest());
        near.same("nonzeros", found.numNonzeros().toArray(), right.nonzeros());
        near.same("sum of absolute values", found.normL1().toArray(), right.absolute());
        near.same("norm", found.normL2().toArray(), right.norm());
        near.report();
    }

    static void pearson(MlData data, Outcome outcome) throws Exception {
        correlation(data, "pearson", data.mixed(), outcome);
    }

    static void spearman(MlData data, Outcome outcome) throws Exception {
        correlation(data, "spearman", new Ranks(data.mixed()), outcome);
    }

    private static void correlation(MlData data, String method, Table compared, Outcome outcome) throws Exception {
        JavaRDD<Vector> rows = data.vectors(data.mixed());
        Matrix found = data.measured(() -> Statistics.corr(rows.rdd(), method));
        double[][] right = Moments.correlation(compared);
        Near near = new Near(outcome, BOUND);
        for (int row = 0; row < right.length; row++) {
            double[] own = new double[right.length];
            for (int column = 0; column < own.length; column++) {
                own[column] = found.apply(row, column);
            }
            near.same("correlations of column " + row, own, right[row]);
        }
        near.report();
    }

    static void feature(MlData data, Outcome outcome) throws Exception {
        Table table = data.categories();
        int features = table.columns() - 1;
        JavaRDD<LabeledPoint> points = data.labelled(table.rows(), table::row);
        ChiSqTestResult[] found = data.measured(() -> Statistics.chiSqTest(points));
        outcome.same("results", found.length, features);
        Near near = new Near(outcome, BOUND);
        for (int feature = 0; feature < features && found.length == features; feature++) {
            near.same("statistic of feature " + feature, found[feature].statistic(),
                    ChiSquare.independence(ChiSquare.counts(table, feature)));
            near.same("degrees of freedom of feature " + feature, found[feature].degreesOfFreedom(),
                    (CATEGORIES - 1) * (CATEGORIES - 1));
        }
        near.report();
    }

    static void fit(MlData data, Outcome outcome) throws Exception {
        Seeded seeded = data.seeded();
        double[] counts = new double[data.sizes.rows()];
        Arrays.setAll(counts, row -> 1 + seeded.below(row, 0, 1000));
        ChiSqTestResult found = data.measured(() -> Statistics.chiSqTest(Vectors.dense(counts)));
        Near near = new Near(outcome, BOUND);
        near.same("statistic", found.statistic(), ChiSquare.fit(counts));
        near.same("degrees of freedom", found.degreesOfFreedom(), counts.length - 1);
        near.report();
    }

    static void matrix(MlData data, Outcome outcome) throws Exception {
        Seeded seeded = data.seeded();
        double[][] counts = new double[data.sizes.rows()][data.sizes.columns()];
        double[] values = new double[counts.length * counts[0].length];
        for (int row = 0; row < counts.length; row++) {
            for (int column = 0; column < counts[row].length; column++) {
                counts[row][column] = 1 + seeded.below(row, column, 1000);
                values[column * counts.length + row] = counts[row][column];
            }
        }
        Matrix matrix = Matrices.dense(counts.length, counts[0].length, values);
        ChiSqTestResult found = data.measured(() -> Statistics.chiSqTest(matrix));
        Near near = new Near(outcome, BOUND);
        near.same("statistic", found.statistic(), ChiSquare.independence(counts));
        near.same("degrees of freedom", found.degreesOfFreedom(), (counts.length - 1) * (counts[0].length - 1));
        near.report();
    }
}
