import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** How many lines have which length, grouped by a shuffle; a jar of your own for {@code weft submit}. */
public final class LineLengths {
    private static final int LINES = 10_000;

    private LineLengths() {}

    public static void main(String[] arguments) {
        SparkSession spark = SparkSession.builder().appName("line lengths").getOrCreate();
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        List<String> lines =
                IntStream.range(0, LINES).mapToObj(n -> "x".repeat(1 + n % 5)).collect(Collectors.toList());
        List<Tuple2<Integer, Integer>> found = context.parallelize(lines, 8)
                .mapToPair(line -> new Tuple2<>(line.length(), 1))
                .reduceByKey(Integer::sum)
                .sortByKey()
                .collect();
        int total = 0;
        for (Tuple2<Integer, Integer> row : found) {
            System.out.println(row._2() + " lines of length " + row._1());
            total += row._2();
        }
        System.out.println("total " + total);
        spark.stop();
        if (total != LINES) {
            throw new IllegalStateException(LINES + " lines were made");
        }
    }
}
