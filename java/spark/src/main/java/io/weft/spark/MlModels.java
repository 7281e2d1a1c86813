package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.ml.ModelsCheck;
import io.weft.core.ml.Planted;
import io.weft.core.ml.Ratings;
import io.weft.core.ml.ReadTally;
import java.util.Arrays;
import java.util.HashMap;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.regression.LinearRegression;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.mllib.classification.LogisticRegressionModel;
import org.apache.spark.mllib.classification.LogisticRegressionWithLBFGS;
import org.apache.spark.mllib.recommendation.ALS;
import org.apache.spark.mllib.recommendation.MatrixFactorizationModel;
import org.apache.spark.mllib.recommendation.Rating;
import org.apache.spark.mllib.regression.LabeledPoint;
import org.apache.spark.mllib.tree.DecisionTree;
import org.apache.spark.mllib.tree.model.DecisionTreeModel;
import org.apache.spark.mllib.tree.model.Node;
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

    private MlModels() {
    }

    /** Spark has its own linear regression in the DataFrame interface only. */
    static void regression(MlData data, Answer answer) throws Exception {
        Planted table = data.spec.planted(Planted.What.LINE);
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
        put(found.coefficients().toArray(), found.intercept(), answer);
    }

    static void classification(MlData data, Answer answer) throws Exception {
        Planted table = data.spec.planted(Planted.What.ODDS);
        JavaRDD<LabeledPoint> points = data.labelled(table.rows(), table::row);
        LogisticRegressionWithLBFGS method = new LogisticRegressionWithLBFGS();
        method.optimizer().setConvergenceTol(1e-9);
        method.setIntercept(true);
        LogisticRegressionModel found = data.measured(() -> method.run(points.rdd()));
        put(found.weights().toArray(), found.intercept(), answer);
    }

    private static void put(double[] weights, double intercept, Answer answer) {
        double[] all = Arrays.copyOf(weights, weights.length + 1);
        all[weights.length] = intercept;
        answer.putNumbers("weights", all);
    }

    static void tree(MlData data, Answer answer) throws Exception {
        Planted table = data.spec.planted(Planted.What.TREE);
        Noted<LabeledPoint> points = data.noted(data.labelled(table.rows(), table::row), MlModels::hash);
        DecisionTreeModel found = data.measured(() -> DecisionTree.trainClassifier(points.rows(), 2,
                new HashMap<Integer, Integer>(), "gini", 5, 32));
        points.put(answer);
        put(found.topNode(), answer);
    }

    private static long hash(LabeledPoint point) {
        double[] features = point.features().toArray();
        double[] row = Arrays.copyOf(features, features.length + 1);
        row[features.length] = point.label();
        return ReadTally.hash(row);
    }

    private static void put(Node node, Answer answer) {
        double label = node.predict().predict();
        double share = node.predict().prob();
        String name = "node " + node.id();
        if (node.isLeaf()) {
            answer.putNumbers(name, label, share, node.impurity());
        } else {
            answer.putNumbers(name, label, share, node.impurity(), node.split().get().feature(),
                    node.split().get().threshold());
            put(node.leftNode().get(), answer);
            put(node.rightNode().get(), answer);
        }
    }

    static void ratings(MlData data, Answer answer) throws Exception {
        int rank = data.spec.rank();
        Ratings ratings = data.spec.ratings();
        JavaRDD<Rating> all = data.several(ratings.users(), user -> IntStream.range(0, ratings.products())
                .filter(product -> ratings.shown(user, product))
                .mapToObj(product -> new Rating(user.intValue(), product, ratings.rating(user, product))).toList());
        Noted<Rating> shown = data.noted(all, one -> Ratings.hash(one.user(), one.product(), one.rating()));
        MatrixFactorizationModel found = data.measured(() -> ALS.train(shown.rows().rdd(), rank, ROUNDS,
                ModelsCheck.PENALTY, data.spec.partitions(), data.spec.seed()));
        shown.put(answer);
        put("user ", found.userFeatures().toJavaRDD(), answer);
        put("product ", found.productFeatures().toJavaRDD(), answer);
    }

    private static void put(String name, JavaRDD<Tuple2<Object, double[]>> rows, Answer answer) {
        rows.collect().forEach(row -> answer.putNumbers(name + row._1(), row._2()));
    }
}
