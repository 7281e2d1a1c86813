package io.weft.spark;

import io.weft.core.GroupByAnswer;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.PairSource;
import io.weft.core.PairTally;
import io.weft.core.Parallel;
import io.weft.core.Phases;
import io.weft.core.Program;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Spark's GroupByTest, seeded and checked: mappers make pairs that are cached and counted, then groupByKey moves
 * all of them through mappers x reducers shuffle blocks. Measured is the grouping alone; it counts groups and pairs
 * and adds up the pairs' hashes, which must be the generator's.
 */
public final class GroupBy {
    private static final List<String> KEYS =
            Session.keys("mappers", "pairs", "value-bytes", "reducers", "seed", "serializer");

    private GroupBy() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, GroupBy::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int mappers = options.integer("mappers", 2, 1, 1_000_000);
        int pairs = options.integer("pairs", 1000, 0, Integer.MAX_VALUE);
        int valueBytes = options.integer("value-bytes", 1000, 0, 1 << 28);
        int reducers = options.integer("reducers", mappers, 1, 1_000_000);
        long seed = options.number("seed", 0, 0, Long.MAX_VALUE);
        String serializer = options.choice("serializer", "default", "default", "java", "kryo");
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(conf(serializer), options));
        PairTally total = new PairTally();
        try (session) {
            JavaPairRDD<Integer, byte[]> made = made(session.spark, mappers, pairs, valueBytes, seed);
            long count = phases.time("generate", made::count);
            outcome.same("number of generated pairs", count, (long) mappers * pairs);
            phases.time("group", () -> made.groupByKey(reducers).mapPartitions(GroupBy::tally).collect())
                    .forEach(total::add);
        }
        GroupByAnswer.Answer answer = phases.time("check",
                () -> GroupByAnswer.compute(mappers, pairs, valueBytes, seed, Parallel.processors()));
        total.check(answer, outcome);
        outcome.put("mappers", mappers).put("reducers", reducers)
                .put("shuffle_blocks", (long) mappers * reducers).put("serializer", serializer)
                .put("payload_bytes", (long) mappers * pairs * (Integer.BYTES + valueBytes));
        phases.report(outcome, "group");
        session.report(outcome);
    }

    private static SparkConf conf(String serializer) {
        SparkConf conf = new SparkConf().setAppName("groupby");
        return switch (serializer) {
            case "java" -> conf.set("spark.serializer", "org.apache.spark.serializer.JavaSerializer");
            case "kryo" -> conf.set("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
            default -> conf;
        };
    }

    private static JavaPairRDD<Integer, byte[]> made(JavaSparkContext spark, int mappers, int pairs, int valueBytes,
            long seed) {
        return spark.parallelize(IntStream.range(0, mappers).boxed().toList(), mappers).flatMapToPair(mapper -> {
            PairSource source = new PairSource(seed, mapper, valueBytes);
            return IntStream.range(0, pairs).mapToObj(i -> new Tuple2<>(source.key(), source.value())).iterator();
        }).cache();
    }

    private static Iterator<PairTally> tally(Iterator<Tuple2<Integer, Iterable<byte[]>>> groups) {
        PairTally tally = new PairTally();
        groups.forEachRemaining(group -> tally.group(group._1(), group._2()));
        return List.of(tally).iterator();
    }
}
