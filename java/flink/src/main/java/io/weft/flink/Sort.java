package io.weft.flink;

import io.weft.core.LineRanges;
import io.weft.core.Lines;
import io.weft.core.TextSplit;
import io.weft.job.SortJob;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple1;
import org.apache.flink.util.Collector;

/**
 * Sorts the lines of a text as unsigned bytes into a total order over numbered parts, by Flink's own sort. The measured
 * seconds hold sampling and sorting; the order is checked by {@code SortValidate}.
 */
public final class Sort extends SortJob<Session> {
    /** Bytes as characters of ISO 8859-1, which Flink orders as unsigned bytes; its order of byte arrays is signed. */
    private static final TypeInformation<Tuple1<String>> LINE = Types.TUPLE(Types.STRING);

    public static void main(String[] args) {
        main(new Sort(), args);
    }

    @Override
    protected Session open() {
        return new Session(partitions());
    }

    @Override
    protected long write(Session session) throws Exception {
        LineRanges ranges = phases.measure("sample", () -> LineRanges.sample(input(), partitions()));
        describe(session, splits(), ranges, output(), partitions());
        return session.execute(phases, "sort", "sort").<Long>getAccumulatorResult("bytes");
    }

    private static void describe(Session session, List<TextSplit> splits, LineRanges ranges, String output,
            int partitions) {
        TextStreams.numbers(session, splits.size()).flatMap(new Read(splits)).returns(LINE)
                .setParallelism(TextStreams.readers(session, splits.size())).name("read")
                .partitionCustom((String line, int count) -> range(ranges, line), line -> line.f0)
                .map(line -> line).returns(LINE).setParallelism(partitions).name("arrive")
                .fullWindowPartition().sortPartition("f0", Order.ASCENDING).setParallelism(partitions)
                .transform("write", Types.VOID, new LineOperator<Tuple1<String>>(output, line -> line.f0))
                .setParallelism(partitions);
    }

    private static int range(LineRanges ranges, String line) {
        byte[] bytes = line.getBytes(StandardCharsets.ISO_8859_1);
        return ranges.range(bytes, 0, bytes.length);
    }

    /** Reads the lines of the split of a number. */
    private record Read(List<TextSplit> splits) implements FlatMapFunction<Long, Tuple1<String>> {
        @Override
        public void flatMap(Long number, Collector<Tuple1<String>> out) throws IOException {
            try (Lines lines = splits.get(number.intValue()).lines()) {
                while (lines.next()) {
                    out.collect(Tuple1.of(lines.text()));
                }
            }
        }
    }
}
