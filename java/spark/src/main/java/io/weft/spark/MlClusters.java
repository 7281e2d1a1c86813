package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.ml.Communities;
import io.weft.core.ml.Groups;
import io.weft.core.ml.Near;
import io.weft.core.ml.Planted;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.clustering.GaussianMixture;
import org.apache.spark.mllib.clustering.GaussianMixtureModel;
import org.apache.spark.mllib.clustering.KMeans;
import org.apache.spark.mllib.clustering.KMeansModel;
import org.apache.spark.mllib.clustering.PowerIterationClustering;
import org.apache.spark.mllib.clustering.PowerIterationClusteringModel;
import org.apache.spark.mllib.linalg.Matrices;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.stat.distribution.MultivariateGaussian;
import scala.Tuple3;

/** Groups of rows and of vertices that have to be found. */
final class MlClusters {
    private static final int ROUNDS = 20;
    private static final double BOUND = 1e-6;
    /** MLlib adds 2e-16 to each density, which must be little beside those in groups of many columns. */
    private static final double SCALE = 0.01;

    private MlClusters() {
    }

    private static double[] features(Planted table, long number) {
        return Arrays.copyOf(table.row(number), table.columns() - 1);
    }

    static void means(MlData data, Outcome outcome) throws Exception {
        Planted table = data.planted(Planted.What.GROUPS);
        JavaRDD<Vector> rows = data.made(table.rows(), number -> Vectors.dense(features(table, number)));
        KMeansModel found = data.measured(() -> KMeans.train(rows.rdd(), Planted.GROUPS, ROUNDS, "k-means||",
                data.sizes.seed()));
        Near near = new Near(outcome, BOUND);
        Groups.of(table).recovered(Arrays.stream(found.clusterCenters()).map(Vector::toArray).toArray(double[][]::new),
                near);
        near.report();
    }

    /** Starts at one row of each group, with equal weights and with variances of 1, which are 10,000 times too large. */
    static void mixture(MlData data, Outcome outcome) throws Exception {
        Planted table = data.planted(Planted.What.GROUPS);
        JavaRDD<Vector> rows = data.made(table.rows(), number -> scaled(table, number));
        int features = table.columns() - 1;
        MultivariateGaussian[] first = IntStream.range(0, Planted.GROUPS).mapToObj(group -> new MultivariateGaussian(
                scaled(table, table.member(group)), Matrices.eye(features))).toArray(MultivariateGaussian[]::new);
        double[] weights = new double[first.length];
        Arrays.fill(weights, 1.0 / first.length);
        GaussianMixture method = new GaussianMixture().setK(first.length).setMaxIterations(ROUNDS)
                .setConvergenceTol(0).setInitialModel(new GaussianMixtureModel(weights, first));
        GaussianMixtureModel found = data.measured(() -> method.run(rows));
        Near near = new Near(outcome, BOUND);
        Groups.of(table).mixed(unscaled(found, features), near);
        near.report();
    }

    private static Vector scaled(Planted table, long number) {
        return Vectors.dense(Arrays.stream(features(table, number)).map(one -> SCALE * one).toArray());
    }

    private static Groups unscaled(GaussianMixtureModel found, int features) {
        double[][] means = new double[found.k()][features];
        double[][][] covariances = new double[found.k()][features][features];
        for (int group = 0; group < means.length; group++) {
            MultivariateGaussian one = found.gaussians()[group];
            for (int row = 0; row < features; row++) {
                means[group][row] = one.mu().apply(row) / SCALE;
                for (int column = 0; column < features; column++) {
                    covariances[group][row][column] = one.sigma().apply(row, column) / (SCALE * SCALE);
                }
            }
        }
        return new Groups(found.weights(), means, covariances);
    }

    /** Starts at the degrees: with the random start that is MLlib's default, clusters can be equal by chance. */
    static void communities(MlData data, Outcome outcome) throws Exception {
        Communities graph = new Communities(data.seeded(), data.sizes.rows(), data.sizes.columns());
        JavaRDD<Tuple3<Long, Long, Double>> edges = data.several(graph.vertices(), vertex -> graph.edges(vertex).stream()
                .map(edge -> new Tuple3<>(edge.one(), edge.other(), edge.similarity())).toList());
        PowerIterationClustering method = new PowerIterationClustering().setK(Communities.NUMBER)
                .setMaxIterations(ROUNDS).setInitializationMode("degree");
        PowerIterationClusteringModel found = data.measured(() -> method.run(edges));
        graph.check(found.assignments().toJavaRDD().collect().stream()
                .map(one -> Map.entry(one.id(), one.cluster())).toList(), outcome);
    }
}
