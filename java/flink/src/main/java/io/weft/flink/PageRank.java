package io.weft.flink;

import io.weft.core.EdgeLines;
import io.weft.core.RankSpec;
import io.weft.core.RankStage;
import io.weft.core.TextSplit;
import io.weft.core.UsageError;
import io.weft.job.PageRankJob;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.util.Collector;

/**
 * PageRank by the definition of {@link RankSpec}, as one job in which each round is an operator: task i of each has
 * block i of the graph and hands it, with its messages, to the next. Checked by {@code PageRankValidate}.
 */
public final class PageRank extends PageRankJob<Session> {
    static final TypeInformation<Tuple2<Integer, byte[]>> CARRIED =
            Types.TUPLE(Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    public static void main(String[] args) {
        main(new PageRank(), args);
    }

    @Override
    protected Session open() {
        if (method() != Method.OWN) {
            throw new UsageError("Option --method must be own on Flink.");
        }
        return new Session(partitions());
    }

    @Override
    protected long write(Session session) throws Exception {
        // a graph without edges has no split, and a source has at least one number
        int numbers = Math.max(1, splits().size());
        DataStream<Tuple2<Integer, byte[]>> carried = TextStreams.numbers(session, numbers)
                .flatMap(new Read(splits(), spec(), partitions())).returns(CARRIED)
                .setParallelism(TextStreams.readers(session, numbers)).name("read");
        for (int round = 0; round <= spec().rounds(); round++) {
            carried = carried.partitionCustom((Integer block, int count) -> block, each -> each.f0)
                    .transform("round " + round, CARRIED,
                            new RankOperator(spec(), partitions(), round == spec().rounds() ? output() : ""))
                    .setParallelism(partitions());
        }
        return session.execute(phases, "rank", "pagerank").<Long>getAccumulatorResult("bytes");
    }

    /** Reads the edges of the split of a number. */
    private record Read(List<TextSplit> splits, RankSpec spec, int blocks)
            implements FlatMapFunction<Long, Tuple2<Integer, byte[]>> {
        @Override
        public void flatMap(Long number, Collector<Tuple2<Integer, byte[]>> out) throws Exception {
            if (number < splits.size()) {
                new EdgeLines(spec, blocks, (block, edges) -> out.collect(Tuple2.of(block, RankStage.edges(edges))))
                        .read(splits.get(number.intValue()));
            }
        }
    }
}
