import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** TASKS SECONDS FILES: each task spins so many seconds, while a thread of its own makes so many files in the scratch directory. */
public final class SparkHidden {
    private SparkHidden() {}

    public static void main(String[] arguments) {
        int tasks = Integer.parseInt(arguments[0]);
        double seconds = Double.parseDouble(arguments[1]);
        int files = Integer.parseInt(arguments[2]);
        SparkSession spark = SparkSession.builder().appName("hidden").getOrCreate();
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        List<Integer> numbers = Collections.nCopies(tasks, files);
        long states = context.parallelize(numbers, tasks).map(count -> beside(seconds, count)).distinct().count();
        System.out.println("hidden, states " + states);
        spark.stop();
    }

    private static long beside(double seconds, int files) throws InterruptedException {
        File scratch = SparkEnv.get().blockManager().diskBlockManager().localDirs()[0];
        Thread hidden = new Thread(() -> make(scratch.toPath(), files), "hidden");
        hidden.start();
        long state = Spin.of(seconds);
        hidden.join();
        return state;
    }

    private static void make(Path directory, int files) {
        try {
            for (int number = 0; number < files; number++) {
                Files.delete(Files.createTempFile(directory, "hidden", null));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
