package io.weft.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import picocli.CommandLine;
import scala.Tuple2;

/** Small jobs with which a driver and its executors load, and compile in part, what the first job of most programs needs. */
final class Warm {
    private static final int ROUNDS = 3;
    private static final int NUMBERS = 10_000;
    private static final int GROUPS = 97;
    private static final String COLUMN = "value";

    private Warm() {
    }

    /** Groups and sorts a few numbers, in as many tasks as there are slots: with RDDs, and as a table. */
    static void run(JavaSparkContext spark) throws IOException {
        new CommandLine(new Pi()).parseArgs("--points", "1", "--executors", "0");
        look(spark);
        int slots = spark.defaultParallelism();
        JavaRDD<Integer> numbers = spark.parallelize(IntStream.range(0, NUMBERS).boxed().toList(), slots);
        JavaRDD<byte[]> bytes = numbers.map(number -> ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
        SparkSession sql = SqlSession.get();
        for (int round = 0; round < ROUNDS; round++) {
            numbers.mapToPair(number -> new Tuple2<>(number % GROUPS, number)).groupByKey(slots).sortByKey().count();
            sql.createDataset(bytes.rdd(), Encoders.BINARY())
                    .repartitionByRange(slots, functions.col(COLUMN)).sortWithinPartitions(COLUMN)
                    .mapPartitions((MapPartitionsFunction<byte[], Long>) rows -> List.of(1L).iterator(), Encoders.LONG())
                    .collectAsList();
        }
        // each program has a session of its own
        SparkSession.clearActiveSession();
        SparkSession.clearDefaultSession();
    }

    /** Looks at a file, as a driver does at those of its input. */
    private static void look(JavaSparkContext spark) throws IOException {
        Path file = Files.createTempFile("warm", "");
        Files.write(file, new byte[Long.BYTES]);
        spark.binaryRecords(file.toUri().toString(), Long.BYTES).getNumPartitions();
        Files.delete(file);
    }
}
