import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.sql.SparkSession;

/** SECONDS FILES: two jobs of one task each at the same time; one spins so many seconds, the other one makes so many files in the scratch directory. */
public final class SparkTwo {
    private SparkTwo() {}

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Double.parseDouble(arguments[0]);
        int files = Integer.parseInt(arguments[1]);
        SparkSession spark = SparkSession.builder().appName("two").getOrCreate();
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        List<Thread> jobs = Stream.<Function<Integer, Long>>of(one -> Spin.of(seconds), one -> make(files))
                .map(task -> new Thread(() -> context.parallelize(List.of(1), 1).map(task).collect()))
                .toList();
        jobs.forEach(Thread::start);
        for (Thread job : jobs) {
            job.join();
        }
        spark.stop();
    }

    private static long make(int files) throws IOException {
        Path directory = SparkEnv.get().blockManager().diskBlockManager().localDirs()[0].toPath();
        for (int number = 0; number < files; number++) {
            Files.delete(Files.createTempFile(directory, "two", null));
        }
        return files;
    }
}
