import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * LONG SHORT COUNT: a stage whose first partition takes so many seconds to cache, and COUNT others a shorter time each; then a stage that
 * spins for the shorter time at each cached partition. Of two slots in two executors, one caches the first partition, and the other the rest.
 */
public final class SparkLocal {
    private SparkLocal() {}

    public static void main(String[] arguments) {
        double first = Double.parseDouble(arguments[0]);
        double other = Double.parseDouble(arguments[1]);
        int count = Integer.parseInt(arguments[2]);
        SparkSession spark = SparkSession.builder().appName("local").getOrCreate();
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        List<Double> seconds = Stream.concat(Stream.of(first), Collections.nCopies(count, other).stream())
                .collect(Collectors.toList());
        JavaRDD<Long> cached = context.parallelize(seconds, seconds.size()).map(Spin::of).cache();
        long states = cached.count() + cached.map(state -> state + Spin.of(other)).count();
        System.out.println("spun, states " + states);
        spark.stop();
    }
}
