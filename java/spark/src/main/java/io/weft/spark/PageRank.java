package io.weft.spark;

import io.weft.core.Attempt;
import io.weft.core.EdgeLines;
import io.weft.core.LineOutput;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.RankBlock;
import io.weft.core.RankSpec;
import io.weft.core.Store;
import io.weft.core.TextSplit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.graphx.GraphXUtils;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * PageRank by the definition of {@link RankSpec}. Method {@code own}: blocks of the graph stay where they are, and each
 * round sends one message from each block to each. Method {@code graphx}: GraphX's graph and its messages along edges.
 * The measured seconds hold reading, all rounds and writing; the ranks are checked by {@code PageRankValidate}.
 */
public final class PageRank {
    private static final List<String> KEYS = RankSpec.keys(
            Session.keys("input", "output", "partitions", "split-bytes", "method"));

    private PageRank() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, PageRank::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        RankSpec spec = RankSpec.of(options);
        boolean graphx = options.choice("method", "own", "own", "graphx").equals("graphx");
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        String output = options.text("output");
        List<TextSplit> splits = TextSplit.of(options.text("input"),
                options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40));
        Attempt.requireEmpty(output);
        SparkConf conf = new SparkConf().setAppName("pagerank");
        if (graphx) {
            conf.setIfMissing("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
            GraphXUtils.registerKryoClasses(conf);
        }
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(conf, options));
        long written;
        try (session) {
            written = phases.time("rank", () -> graphx
                    ? GraphxRanks.write(session.spark, splits, spec, partitions, output)
                    : write(session.spark, splits, spec, partitions, output));
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        outcome.put("method", graphx ? "graphx" : "own").put("partitions", partitions).put("splits", splits.size())
                .put("vertices", spec.vertices()).put("rounds", spec.rounds())
                .put("bytes_in", TextSplit.bytes(options.text("input"))).put("bytes_out", written);
        phases.report(outcome, "rank");
        session.report(outcome);
    }

    /** Ranks by blocks, writes one part a partition, and gives the bytes written. */
    static long write(JavaSparkContext spark, List<TextSplit> splits, RankSpec spec, int partitions,
            String output) {
        HashPartitioner byBlock = new HashPartitioner(partitions);
        JavaRDD<RankBlock> blocks = edges(spark, splits, spec, partitions).partitionBy(byBlock)
                .mapPartitionsWithIndex((block, chunks) -> block(spec, partitions, block, chunks), true)
                .persist(StorageLevel.MEMORY_AND_DISK());
        JavaRDD<double[]> ranks = blocks.map(RankBlock::ranks);
        for (int round = 0; round < spec.rounds(); round++) {
            ranks = blocks.zipPartitions(ranks, PageRank::messages).mapToPair(message -> message)
                    .partitionBy(byBlock)
                    .mapPartitionsWithIndex((block, messages) -> gather(spec, partitions, block, messages), true);
        }
        return blocks.zipPartitions(ranks, (own, last) -> part(own.next().first(), last.next(), output))
                .collect().stream().mapToLong(Long::longValue).sum();
    }

    private static JavaPairRDD<Integer, long[]> edges(JavaSparkContext spark, List<TextSplit> splits, RankSpec spec,
            int partitions) {
        return TextJob.splits(spark, splits).flatMapToPair(split -> {
            List<Tuple2<Integer, long[]>> chunks = new ArrayList<>();
            new EdgeLines(spec, partitions, (block, edges) -> chunks.add(new Tuple2<>(block, edges))).read(split);
            return chunks.iterator();
        });
    }

    private static Iterator<RankBlock> block(RankSpec spec, int blocks, int block,
            Iterator<Tuple2<Integer, long[]>> chunks) {
        List<long[]> own = new ArrayList<>();
        chunks.forEachRemaining(chunk -> own.add(chunk._2()));
        long[] edges = new long[own.stream().mapToInt(chunk -> chunk.length).reduce(0, Math::addExact)];
        int count = 0;
        for (long[] chunk : own) {
            System.arraycopy(chunk, 0, edges, count, chunk.length);
            count += chunk.length;
        }
        return List.of(RankBlock.build(spec, blocks, block, edges, count)).iterator();
    }

    private static Iterator<Tuple2<Integer, byte[]>> messages(Iterator<RankBlock> block, Iterator<double[]> ranks) {
        RankBlock own = block.next().with(ranks.next());
        return IntStream.range(0, own.blocks()).mapToObj(to -> new Tuple2<>(to, own.message(to))).iterator();
    }

    private static Iterator<double[]> gather(RankSpec spec, int blocks, int block,
            Iterator<Tuple2<Integer, byte[]>> messages) {
        RankBlock.Gather gather = new RankBlock.Gather(spec, blocks, block);
        messages.forEachRemaining(message -> gather.add(ByteBuffer.wrap(message._2())));
        return List.of(gather.ranks()).iterator();
    }

    private static Iterator<Long> part(int first, double[] ranks, String output) throws IOException {
        TaskContext context = TaskContext.get();
        try (LineOutput out = new LineOutput(output, context.partitionId(), context.taskAttemptId())) {
            for (int i = 0; i < ranks.length; i++) {
                out.add(RankSpec.line(first + i, ranks[i]));
            }
            return List.of(out.commit()).iterator();
        }
    }
}
