package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.ml.Near;
import io.weft.core.ml.Planted;
import java.util.Arrays;
import java.util.HashMap;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.regression.LinearRegression;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.mllib.classification.LogisticRegressionModel;
import org.apache.spark.mllib.classification.LogisticRegressionWithLBFGS;
import org.apache.spark.mllib.clustering.KMeans;
import org.apache.spark.mllib.clustering.KMeansModel;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.regression.LabeledPoint;
import org.apache.spark.mllib.tree.DecisionTree;
import org.apache.spark.mllib.tree.model.DecisionTreeModel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Models that have to find what was put into their data. */
final class MlModels {
    private static final int ROUNDS = 20;

    private MlModels() {
    }

    private static Planted planted(MlData data, Planted.What what) {
        return new Planted(data.seeded(), data.sizes.rows(), data.sizes.columns(), what);
    }

    /** Spark has its own linear regression in the DataFrame interface only. */
    static void regression(MlData data, Outcome outcome) throws Exception {
        Planted table = planted(data, Planted.What.LINE);
        int features = table.columns() - 1;
        JavaRDD<Row> rows = data.made(table.rows(), number -> {
            double[] row = table.row(number);
            return RowFactory.create(row[features],
                    org.apache.spark.ml.linalg.Vectors.dense(Arrays.copyOf(row, features)));
        });
        StructType schema = new StructType().add("label", DataTypes.DoubleType)
                .add("features", org.apache.spark.ml.linalg.SQLDataTypes.VectorType());
        Dataset<Row> frame = SparkSession.builder().getOrCreate().createDataFrame(rows, schema);
        LinearRegression method = new LinearRegression().setSolver("l-bfgs").setTol(1e-12);
        LinearRegressionModel found = data.measured(() -> method.fit(frame));
        least(table, found.coefficients().toArray(), found.intercept(), outcome);
    }

    static void classification(MlData data, Outcome outcome) throws Exception {
        Planted table = planted(data, Planted.What.ODDS);
        JavaRDD<LabeledPoint> points = data.labelled(table.rows(), table::row);
        LogisticRegressionWithLBFGS method = new LogisticRegressionWithLBFGS();
        method.optimizer().setConvergenceTol(1e-9);
        method.setIntercept(true);
        LogisticRegressionModel found = data.measured(() -> method.run(points.rdd()));
        least(table, found.weights().toArray(), found.intercept(), outcome);
    }

    /** Where the loss is least its gradient is zero. */
    private static void least(Planted table, double[] weights, double intercept, Outcome outcome) {
        outcome.same("weights", weights.length, table.columns() - 1);
        Near near = new Near(outcome, 1e-5);
        if (weights.length == table.columns() - 1) {
            double[] all = Arrays.copyOf(weights, table.columns());
            all[weights.length] = intercept;
            near.same("gradient at weight", table.gradient(all), new double[table.columns()]);
        }
        near.report();
    }

    static void tree(MlData data, Outcome outcome) throws Exception {
        Planted table = planted(data, Planted.What.TREE);
        JavaRDD<LabeledPoint> points = data.labelled(table.rows(), table::row);
        DecisionTreeModel found = data.measured(
                () -> DecisionTree.trainClassifier(points, 2, new HashMap<Integer, Integer>(), "gini", 5, 32));
        Planted fresh = new Planted(new io.weft.core.ml.Seeded(data.sizes.seed() + 1), 20_000, table.columns(),
                Planted.What.TREE);
        int right = 0;
        for (int number = 0; number < fresh.rows(); number++) {
            double[] row = fresh.row(number);
            double label = found.predict(Vectors.dense(Arrays.copyOf(row, row.length - 1)));
            right += label == Planted.decided(row) ? 1 : 0;
        }
        double accuracy = right / (double) fresh.rows();
        outcome.put("accuracy", accuracy);
        if (accuracy < 0.97) {
            outcome.problem("the tree decides " + accuracy + " of fresh rows rightly, less than 0.97");
        }
    }

    static void groups(MlData data, Outcome outcome) throws Exception {
        Planted table = planted(data, Planted.What.GROUPS);
        int features = table.columns() - 1;
        JavaRDD<Vector> rows = data.made(table.rows(),
                number -> Vectors.dense(Arrays.copyOf(table.row(number), features)));
        KMeansModel found = data.measured(() -> KMeans.train(rows.rdd(), Planted.GROUPS, ROUNDS, "k-means||",
                data.sizes.seed()));
        Near near = new Near(outcome, 1e-6);
        table.recovered(Arrays.stream(found.clusterCenters()).map(Vector::toArray).toArray(double[][]::new), near);
        near.report();
    }
}
