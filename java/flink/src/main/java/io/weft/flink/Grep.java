package io.weft.flink;

import io.weft.core.Attempt;
import io.weft.core.LineTally;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.Store;
import io.weft.core.TextSplit;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * Counts the strings that match a regular expression, as Hadoop's example does, and writes the counts in falling order
 * into one part. Checked by {@code GrepValidate}.
 */
public final class Grep {
    private static final List<String> KEYS =
            List.of("input", "output", "pattern", "partitions", "split-bytes", "executors");

    private Grep() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Grep::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 32_768);
        String output = options.text("output");
        String pattern = LineTally.pattern(options.text("pattern")).pattern();
        List<TextSplit> splits = TextSplit.of(options.text("input"),
                options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40));
        Attempt.requireEmpty(output);
        Phases phases = new Phases();
        Session session = phases.time("start", Session::new);
        TextJob.counts(session, splits, pattern, partitions).global()
                .map(counted -> counted).returns(Types.TUPLE(Types.STRING, Types.LONG)).setParallelism(1)
                .fullWindowPartition().sortPartition(new Falling(), Order.ASCENDING).setParallelism(1)
                .transform("write", Types.VOID, new LineOperator<>(output, TextJob::line)).setParallelism(1);
        JobExecutionResult result;
        try {
            result = phases.time("search", () -> session.execute("grep"));
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        outcome.put("partitions", partitions).put("splits", splits.size())
                .put("bytes_in", TextSplit.bytes(options.text("input")))
                .put("bytes_out", result.<Long>getAccumulatorResult("bytes"));
        phases.report(outcome, "search");
    }

    /**
     * The greater count first, and of equals the lesser string; one text, since of a tuple only its first field counts.
     */
    private static final class Falling implements KeySelector<Tuple2<String, Long>, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String getKey(Tuple2<String, Long> counted) {
            return String.format("%019d%s", Long.MAX_VALUE - counted.f1, counted.f0);
        }
    }
}
