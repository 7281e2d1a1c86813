package io.weft.spark;

import io.weft.core.EdgeLines;
import io.weft.core.LineOutput;
import io.weft.core.RankBlock;
import io.weft.core.RankSpec;
import io.weft.core.TextSplit;
import io.weft.job.PageRankJob;
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
public final class PageRank extends PageRankJob<Session> {
    public static void main(String[] args) {
        main(new PageRank(), args);
    }

    @Override
    protected Session open() throws Exception {
        SparkConf conf = new SparkConf().setAppName("pagerank");
        if (method() == Method.GRAPHX) {
            conf.setIfMissing("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
            GraphXUtils.registerKryoClasses(conf);
        }
        return new Session(conf, executors());
    }

    @Override
    protected long write(Session session) throws Exception {
        return phases.measure("rank", () -> method() == Method.GRAPHX
                ? GraphxRanks.write(session.spark, splits(), spec(), partitions(), output())
                : write(session.spark, splits(), spec(), partitions(), output()));
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
        return TextRdds.splits(spark, splits).flatMapToPair(split -> {
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
