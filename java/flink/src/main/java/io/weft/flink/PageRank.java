package io.weft.flink;

import io.weft.core.Attempt;
import io.weft.core.EdgeLines;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.RankSpec;
import io.weft.core.RankStage;
import io.weft.core.Store;
import io.weft.core.TextSplit;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
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
public final class PageRank {
    static final TypeInformation<Tuple2<Integer, byte[]>> CARRIED =
            Types.TUPLE(Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
    private static final List<String> KEYS = RankSpec.keys(
            List.of("input", "output", "partitions", "split-bytes", "method", "executors"));

    private PageRank() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, PageRank::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        RankSpec spec = RankSpec.of(options);
        String method = options.choice("method", "own", "own");
        int partitions = options.integer("partitions", 8, 1, 32_768);
        String output = options.text("output");
        List<TextSplit> splits = TextSplit.of(options.text("input"),
                options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40));
        Attempt.requireEmpty(output);
        Phases phases = new Phases();
        Session session = phases.time("start", Session::new);
        DataStream<Tuple2<Integer, byte[]>> carried = TextJob.numbers(session, splits.size())
                .flatMap(new Read(splits, spec, partitions)).returns(CARRIED)
                .setParallelism(TextJob.readers(session, splits.size())).name("read");
        for (int round = 0; round <= spec.rounds(); round++) {
            carried = carried.partitionCustom((Integer block, int count) -> block, each -> each.f0)
                    .transform("round " + round, CARRIED,
                            new RankOperator(spec, partitions, round == spec.rounds() ? output : ""))
                    .setParallelism(partitions);
        }
        JobExecutionResult result;
        try {
            result = phases.time("rank", () -> session.execute("pagerank"));
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        outcome.put("method", method).put("partitions", partitions).put("splits", splits.size())
                .put("vertices", spec.vertices()).put("rounds", spec.rounds())
                .put("bytes_in", TextSplit.bytes(options.text("input")))
                .put("bytes_out", result.<Long>getAccumulatorResult("bytes"));
        phases.report(outcome, "rank");
    }

    /** Reads the edges of the split of a number. */
    private record Read(List<TextSplit> splits, RankSpec spec, int blocks)
            implements FlatMapFunction<Long, Tuple2<Integer, byte[]>> {
        @Override
        public void flatMap(Long number, Collector<Tuple2<Integer, byte[]>> out) throws Exception {
            new EdgeLines(spec, blocks, (block, edges) -> out.collect(Tuple2.of(block, RankStage.edges(edges))))
                    .read(splits.get(number.intValue()));
        }
    }
}
