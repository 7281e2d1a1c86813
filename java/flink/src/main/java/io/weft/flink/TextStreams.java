package io.weft.flink;

import io.weft.core.Match;
import io.weft.core.Tallies;
import io.weft.core.TextSplit;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.Collector;

/** What the workloads on text share: splits handed to the reader that asks next, counts of strings, parts of lines. */
final class TextStreams {
    private static final TypeInformation<Tuple2<String, Long>> COUNTED = Types.TUPLE(Types.STRING, Types.LONG);

    private TextStreams() {
    }

    /** The numbers of some splits or tasks. */
    static DataStream<Long> numbers(Session session, int count) {
        return session.flink.fromSource(new SplitSource(count), WatermarkStrategy.noWatermarks(), "numbers")
                .setParallelism(readers(session, count));
    }

    static int readers(Session session, int count) {
        return Math.min(count, Math.max(1, session.flink.getParallelism()));
    }

    /** How often each word occurs, or each string that matches a pattern that is not empty. */
    static SingleOutputStreamOperator<Tuple2<String, Long>> counts(Session session, List<TextSplit> splits,
            String pattern, int partitions) {
        return numbers(session, splits.size()).flatMap(new Count(splits, pattern)).returns(COUNTED)
                .setParallelism(readers(session, splits.size())).name("tally").keyBy(counted -> counted.f0)
                .reduce((one, other) -> Tuple2.of(one.f0, one.f1 + other.f1)).returns(COUNTED)
                .setParallelism(partitions).name("sum");
    }

    /** The line of a string and its count. */
    static String line(Tuple2<String, Long> counted) {
        return new Match(counted.f0, counted.f1).line();
    }

    /** Counts what is in the split of a number. */
    private record Count(List<TextSplit> splits, String pattern)
            implements FlatMapFunction<Long, Tuple2<String, Long>> {
        @Override
        public void flatMap(Long number, Collector<Tuple2<String, Long>> out) {
            Tallies tallies = new Tallies(List.of(splits.get(number.intValue())).iterator(), pattern);
            while (tallies.hasNext()) {
                Match match = tallies.next();
                out.collect(Tuple2.of(match.text(), match.count()));
            }
        }
    }
}
