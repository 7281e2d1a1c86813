import java.util.Collections;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * TASKS MEGABYTES GIGABYTES: each task keeps so many megabytes of small objects alive, of which Spark knows nothing, while
 * it makes so many gigabytes of others; one in KEPT takes the place of one that was alive.
 */
public final class SparkCrowded {
    private static final int LONGS = 12;
    /** With the header of an array. */
    private static final int BYTES = 16 + 8 * LONGS;
    private static final int KEPT = 32;

    private SparkCrowded() {}

    public static void main(String[] arguments) {
        int tasks = Integer.parseInt(arguments[0]);
        int alive = (int) (Integer.parseInt(arguments[1]) * 1_000_000L / BYTES);
        long made = Long.parseLong(arguments[2]) * 1_000_000_000L / BYTES;
        SparkSession spark = SparkSession.builder().appName("crowded").getOrCreate();
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        List<Integer> numbers = Collections.nCopies(tasks, alive);
        System.out.println("crowded, sum " + context.parallelize(numbers, tasks).map(count -> crowd(count, made)).reduce(Long::sum));
        spark.stop();
    }

    private static long crowd(int alive, long made) {
        long[][] objects = new long[alive][];
        for (int place = 0; place < alive; place++) {
            objects[place] = object(place);
        }
        long sum = 0;
        long state = 1;
        for (long number = 0; number < made; number++) {
            long[] next = object(number);
            state = state * 6364136223846793005L + 1442695040888963407L;
            if ((state >>> 40) % KEPT == 0) {
                objects[(int) ((state >>> 33) % alive)] = next;
            }
            sum += next[(int) (number % LONGS)];
        }
        return sum;
    }

    private static long[] object(long value) {
        long[] made = new long[LONGS];
        made[(int) (value % LONGS)] = value;
        return made;
    }
}
