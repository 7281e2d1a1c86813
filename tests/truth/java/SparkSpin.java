import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** One Spark task for each argument, which spins so many seconds. */
public final class SparkSpin {
    private SparkSpin() {}

    public static void main(String[] arguments) {
        SparkSession spark = SparkSession.builder().appName("spin").getOrCreate();
        List<Double> seconds = Arrays.stream(arguments).map(Double::valueOf).collect(Collectors.toList());
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        long states = context.parallelize(seconds, seconds.size()).map(Spin::of).distinct().count();
        System.out.println("spun, states " + states);
        spark.stop();
    }
}
