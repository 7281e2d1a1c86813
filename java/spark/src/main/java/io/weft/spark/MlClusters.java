package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.ml.Communities;
import io.weft.core.ml.Planted;
import java.util.Arrays;
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
    /** MLlib adds 2e-16 to each density, which must be little beside those in groups of many columns. */
    private static final double SCALE = 0.01;

    private MlClusters() {
    }

    private static double[] features(Planted table, long number) {
        return Arrays.copyOf(table.row(number), table.columns() - 1);
    }

    static void means(MlData data, Answer answer) throws Exception {
        Planted table = data.spec.planted(Planted.What.GROUPS);
        JavaRDD<Vector> rows = data.made(table.rows(), number -> Vectors.dense(features(table, number)));
        KMeansModel found = data.measured(() -> KMeans.train(rows.rdd(), Planted.GROUPS, ROUNDS, "k-means||",
                data.spec.seed()));
        answer.putRows("centre", Arrays.stream(found.clusterCenters()).map(Vector::toArray).toArray(double[][]::new));
    }

    /** Starts at one row of each group, with equal weights and with variances of 1, which are 10,000 times too large. */
    static void mixture(MlData data, Answer answer) throws Exception {
        Planted table = data.spec.planted(Planted.What.GROUPS);
        JavaRDD<Vector> rows = data.made(table.rows(), number -> scaled(table, number));
        int features = table.columns() - 1;
        MultivariateGaussian[] first = IntStream.range(0, Planted.GROUPS).mapToObj(group -> new MultivariateGaussian(
                scaled(table, table.member(group)), Matrices.eye(features))).toArray(MultivariateGaussian[]::new);
        double[] weights = new double[first.length];
        Arrays.fill(weights, 1.0 / first.length);
        GaussianMixture method = new GaussianMixture().setK(first.length).setMaxIterations(ROUNDS)
                .setConvergenceTol(0).setInitialModel(new GaussianMixtureModel(weights, first));
        GaussianMixtureModel found = data.measured(() -> method.run(rows));
        put(found, features, answer);
    }

    private static Vector scaled(Planted table, long number) {
        return Vectors.dense(Arrays.stream(features(table, number)).map(one -> SCALE * one).toArray());
    }

    /** In the scale of the table. */
    private static void put(GaussianMixtureModel found, int features, Answer answer) {
        answer.putNumbers("shares", found.weights());
        for (int group = 0; group < found.k(); group++) {
            MultivariateGaussian one = found.gaussians()[group];
            double[] mean = new double[features];
            double[][] covariance = new double[features][features];
            for (int row = 0; row < features; row++) {
                mean[row] = one.mu().apply(row) / SCALE;
                for (int column = 0; column < features; column++) {
                    covariance[row][column] = one.sigma().apply(row, column) / (SCALE * SCALE);
                }
            }
            answer.putNumbers("mean " + group, mean).putRows("covariance " + group, covariance);
        }
    }

    /** Starts at the degrees: with the random start that is MLlib's default, clusters can be equal by chance. */
    static void communities(MlData data, Answer answer) throws Exception {
        Communities graph = data.spec.communities();
        JavaRDD<Tuple3<Long, Long, Double>> drawn = data.several(graph.vertices(), vertex -> graph.edges(vertex).stream()
                .map(edge -> new Tuple3<>(edge.one(), edge.other(), edge.similarity())).toList());
        Noted<Tuple3<Long, Long, Double>> edges = data.noted(drawn,
                edge -> new Communities.Edge(edge._1(), edge._2(), edge._3()).hash());
        PowerIterationClustering method = new PowerIterationClustering().setK(Communities.NUMBER)
                .setMaxIterations(ROUNDS).setInitializationMode("degree");
        PowerIterationClusteringModel found = data.measured(() -> method.run(edges.rows()));
        edges.put(answer);
        found.assignments().toJavaRDD().collect()
                .forEach(one -> answer.put("vertex " + one.id(), one.cluster()));
    }
}
