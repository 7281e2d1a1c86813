package io.weft.flink;

import io.weft.core.Attempt;
import io.weft.core.LineRanges;
import io.weft.core.Lines;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.Store;
import io.weft.core.TextSplit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
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
public final class Sort {
    private static final List<String> KEYS = List.of("input", "output", "partitions", "split-bytes", "executors");
    /** Bytes as characters of ISO 8859-1, which Flink orders as unsigned bytes; its order of byte arrays is signed. */
    private static final TypeInformation<Tuple1<String>> LINE = Types.TUPLE(Types.STRING);

    private Sort() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Sort::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 32_768);
        String input = options.text("input");
        String output = options.text("output");
        List<TextSplit> splits = TextSplit.of(input, options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40));
        Attempt.requireEmpty(output);
        Phases phases = new Phases();
        Session session = phases.time("start", Session::new);
        JobExecutionResult result;
        try {
            LineRanges ranges = phases.time("sample", () -> LineRanges.sample(input, partitions));
            describe(session, splits, ranges, output, partitions);
            result = phases.time("sort", () -> session.execute("sort"));
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        long bytes = TextSplit.bytes(input);
        long written = result.<Long>getAccumulatorResult("bytes");
        outcome.same("bytes written", written, bytes);
        outcome.put("partitions", partitions).put("splits", splits.size()).put("bytes_in", bytes)
                .put("bytes_out", written);
        phases.report(outcome, "sample", "sort");
    }

    private static void describe(Session session, List<TextSplit> splits, LineRanges ranges, String output,
            int partitions) {
        TextJob.numbers(session, splits.size()).flatMap(new Read(splits)).returns(LINE)
                .setParallelism(TextJob.readers(session, splits.size())).name("read")
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
