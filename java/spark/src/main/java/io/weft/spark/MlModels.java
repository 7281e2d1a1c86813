package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.ml.Accuracy;
import io.weft.core.ml.Near;
import io.weft.core.ml.Planted;
import io.weft.core.ml.Product;
import io.weft.core.ml.Ratings;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.regression.LinearRegression;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.mllib.classification.LogisticRegressionModel;
import org.apache.spark.mllib.classification.LogisticRegressionWithLBFGS;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.recommendation.ALS;
import org.apache.spark.mllib.recommendation.MatrixFactorizationModel;
import org.apache.spark.mllib.recommendation.Rating;
import org.apache.spark.mllib.regression.LabeledPoint;
import org.apache.spark.mllib.tree.DecisionTree;
import org.apache.spark.mllib.tree.model.DecisionTreeModel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Tuple2;

/** Models that have to find what was put into their data. */
final class MlModels {
    private static final int ROUNDS = 10;
    private static final double ERROR = 0.05;

    private MlModels() {
    }

    /** Spark has its own linear regression in the DataFrame interface only. */
    static void regression(MlData data, Outcome outcome) throws Exception {
        Planted table = data.planted(Planted.What.LINE);
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
        Planted table = data.planted(Planted.What.ODDS);
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
        Planted table = data.planted(Planted.What.TREE);
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
        Accuracy.check("fresh rows that the tree decides rightly", right, fresh.rows(), 0.97, outcome);
    }

    static void ratings(MlData data, Outcome outcome) throws Exception {
        int rank = data.sizes.rank();
        Ratings ratings = new Ratings(data.seeded(), data.sizes.rows(), data.sizes.columns(), rank);
        JavaRDD<Rating> shown = data.several(ratings.users(), user -> IntStream.range(0, ratings.products())
                .filter(product -> ratings.shown(user, product))
                .mapToObj(product -> new Rating(user.intValue(), product, ratings.rating(user, product))).toList());
        MatrixFactorizationModel found = data.measured(() -> ALS.train(shown.rdd(), rank, ROUNDS, 1e-3,
                data.sizes.partitions(), data.sizes.seed()));
        Map<Integer, double[]> users = factors(found.userFeatures().toJavaRDD());
        Map<Integer, double[]> products = factors(found.productFeatures().toJavaRDD());
        double[] none = new double[rank];
        double error = ratings.error((user, product) -> Product.dot(users.getOrDefault(user, none),
                products.getOrDefault(product, none)));
        outcome.put("error", error).put("bound", ERROR);
        if (!(error <= ERROR)) {
            outcome.problem("ratings that were not shown are " + error + " of their size off, more than " + ERROR);
        }
    }

    private static Map<Integer, double[]> factors(JavaRDD<Tuple2<Object, double[]>> rows) {
        return rows.collect().stream().collect(Collectors.toMap(row -> (Integer) row._1(), row -> row._2()));
    }
}
