package io.weft.spark;

import io.weft.core.Hash64;
import io.weft.core.KeyTally;
import io.weft.core.PerfSource;
import io.weft.core.Phases;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.PairFunction;
import scala.Tuple2;

/** The work of the spark-perf core set; phase {@code generate} makes the data, phase {@code measured} is the test. */
final class PerfData {
    private final JavaSparkContext spark;
    private final PerfSource.Spec spec;
    private final Phases phases;

    PerfData(JavaSparkContext spark, PerfSource.Spec spec, Phases phases) {
        this.spark = spark;
        this.spec = spec;
        this.phases = phases;
    }

    /** Runs a number of tasks that do nothing but give a hash of their number; the result is the sum. */
    long schedule(int tasks) throws Exception {
        return phases.measure("measured", () -> spark.parallelize(IntStream.range(0, tasks).boxed().toList(), tasks)
                .map(number -> Hash64.mix(number)).reduce(Long::sum));
    }

    List<KeyTally> sumText(int keyLength, int valueLength, int reduceTasks) throws Exception {
        JavaPairRDD<String, String> data = text(keyLength, valueLength);
        return tallies(() -> data.mapValues(Long::parseLong).reduceByKey(Long::sum, reduceTasks)
                .mapPartitions(PerfData::ofText).collect());
    }

    List<KeyTally> sumNumbers(int reduceTasks) throws Exception {
        JavaPairRDD<Integer, Integer> data = numbers();
        return tallies(() -> data.mapValues(Integer::longValue).reduceByKey(Long::sum, reduceTasks)
                .mapPartitions(PerfData::ofNumbers).collect());
    }

    /** Groups all values of a key before adding them, into Spark's default number of partitions. */
    List<KeyTally> groupText(int keyLength, int valueLength) throws Exception {
        JavaPairRDD<String, String> data = text(keyLength, valueLength);
        return tallies(() -> data.mapValues(Long::parseLong).groupByKey().mapValues(PerfData::sum)
                .mapPartitions(PerfData::ofText).collect());
    }

    List<KeyTally> sortText(int keyLength, int valueLength, int reduceTasks) throws Exception {
        JavaPairRDD<String, String> data = text(keyLength, valueLength);
        return tallies(() -> data.sortByKey(true, reduceTasks).mapValues(Long::parseLong)
                .mapPartitions(PerfData::ofText).collect());
    }

    List<KeyTally> sortNumbers(int reduceTasks) throws Exception {
        JavaPairRDD<Integer, Integer> data = numbers();
        return tallies(() -> data.sortByKey(true, reduceTasks).mapValues(Integer::longValue)
                .mapPartitions(PerfData::ofNumbers).collect());
    }

    long count(int keyLength, int valueLength) throws Exception {
        JavaPairRDD<String, String> data = text(keyLength, valueLength);
        return phases.measure("measured", data::count);
    }

    long countOdd(int keyLength, int valueLength) throws Exception {
        JavaPairRDD<String, String> data = text(keyLength, valueLength);
        return phases.measure("measured", () -> data.filter(pair -> Integer.parseInt(pair._1()) % 2 == 1).count());
    }

    private List<KeyTally> tallies(Callable<List<KeyTally>> work) throws Exception {
        return phases.measure("measured", work);
    }

    private JavaPairRDD<String, String> text(int keyLength, int valueLength) throws Exception {
        return made(pair -> new Tuple2<>(PerfSource.padded(pair._1(), keyLength),
                PerfSource.padded(pair._2(), valueLength)));
    }

    private JavaPairRDD<Integer, Integer> numbers() throws Exception {
        return made(pair -> pair);
    }

    private <K, V> JavaPairRDD<K, V> made(PairFunction<Tuple2<Integer, Integer>, K, V> form) throws Exception {
        PerfSource.Spec own = spec;
        List<Integer> partitions = IntStream.range(0, own.partitions()).boxed().toList();
        JavaPairRDD<K, V> data = spark.parallelize(partitions, own.partitions())
                .flatMap(partition -> pairs(own, partition)).mapToPair(form).cache();
        phases.time("generate", data::count);
        return data;
    }

    private static Iterator<Tuple2<Integer, Integer>> pairs(PerfSource.Spec spec, int partition) {
        PerfSource source = new PerfSource(spec, partition);
        return LongStream.range(0, spec.records(partition))
                .mapToObj(i -> new Tuple2<>(source.key(), source.value())).iterator();
    }

    private static long sum(Iterable<Long> values) {
        long sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum;
    }

    private static Iterator<KeyTally> ofText(Iterator<Tuple2<String, Long>> pairs) {
        KeyTally tally = new KeyTally();
        pairs.forEachRemaining(pair -> tally.add(Integer.parseInt(pair._1()), pair._2()));
        return List.of(tally).iterator();
    }

    private static Iterator<KeyTally> ofNumbers(Iterator<Tuple2<Integer, Long>> pairs) {
        KeyTally tally = new KeyTally();
        pairs.forEachRemaining(pair -> tally.add(pair._1(), pair._2()));
        return List.of(tally).iterator();
    }
}
