package io.weft.spark;

import io.weft.core.Bounds;
import io.weft.core.GroupByAnswer;
import io.weft.core.Outcome;
import io.weft.core.PairSource;
import io.weft.core.PairTally;
import io.weft.core.Parallel;
import io.weft.core.UsageError;
import io.weft.job.EngineJob;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import picocli.CommandLine.Option;
import scala.Tuple2;

/**
 * Spark's GroupByTest, seeded and checked: mappers make pairs that are cached and counted, then groupByKey moves
 * all of them through mappers x reducers shuffle blocks. Measured is the grouping alone; it counts groups and pairs
 * and adds up the pairs' hashes, which must be the generator's.
 */
public final class GroupBy extends EngineJob<Session> {
    @Option(names = "--mappers")
    @Bounds(min = 1, max = 1_000_000)
    private int mappers = 2;

    @Option(names = "--pairs")
    @Bounds(min = 0)
    private int pairs = 1000;

    @Option(names = "--value-bytes")
    @Bounds(min = 0, max = 1 << 28)
    private int valueBytes = 1000;

    @Option(names = "--reducers")
    private Integer reducers;

    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed;

    @Option(names = "--serializer")
    private Serializer serializer = Serializer.DEFAULT;

    /** What turns pairs into bytes. */
    private enum Serializer {
        /** What Spark's settings say. */
        DEFAULT,
        /** Java's own. */
        JAVA,
        /** Kryo's. */
        KRYO
    }

    public static void main(String[] args) {
        main(new GroupBy(), args);
    }

    @Override
    protected void prepare() {
        reducers = reducers == null ? mappers : reducers;
        if (reducers < 1) {
            throw new UsageError("Option --reducers must be positive, not " + reducers + ".");
        }
    }

    @Override
    protected Session open() throws Exception {
        SparkConf conf = new SparkConf().setAppName("groupby");
        String name = "org.apache.spark.serializer.";
        return new Session(switch (serializer) {
            case JAVA -> conf.set("spark.serializer", name + "JavaSerializer");
            case KRYO -> conf.set("spark.serializer", name + "KryoSerializer");
            default -> conf;
        }, executors());
    }

    @Override
    protected void work(Session session, Outcome outcome) throws Exception {
        JavaPairRDD<Integer, byte[]> made = made(session.spark, mappers, pairs, valueBytes, seed);
        long count = phases.time("generate", made::count);
        outcome.same("number of generated pairs", count, (long) mappers * pairs);
        PairTally total = new PairTally();
        phases.measure("group", () -> made.groupByKey(reducers).mapPartitions(GroupBy::tally).collect())
                .forEach(total::add);
        GroupByAnswer.Answer answer = phases.time("check",
                () -> GroupByAnswer.compute(mappers, pairs, valueBytes, seed, Parallel.processors()));
        total.check(answer, outcome);
        outcome.put("mappers", mappers).put("reducers", reducers)
                .put("shuffle_blocks", (long) mappers * reducers)
                .put("serializer", serializer.name().toLowerCase(Locale.ROOT))
                .put("payload_bytes", (long) mappers * pairs * (Integer.BYTES + valueBytes));
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
