package io.weft.flink;

import io.weft.core.Attempt;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.Store;
import io.weft.core.TextSplit;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Counts the words of a text. A task counts what it reads in a table of its own, and gives each word once; the shuffle
 * brings a word's counts together. The counts are checked by {@code WordCountValidate}.
 */
public final class WordCount {
    private static final List<String> KEYS = List.of("input", "output", "partitions", "split-bytes", "executors");

    private WordCount() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, WordCount::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 32_768);
        String output = options.text("output");
        List<TextSplit> splits = TextSplit.of(options.text("input"),
                options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40));
        Attempt.requireEmpty(output);
        Phases phases = new Phases();
        Session session = phases.time("start", Session::new);
        TextJob.counts(session, splits, "", partitions)
                .transform("write", Types.VOID, new LineOperator<>(output, TextJob::line)).setParallelism(partitions);
        JobExecutionResult result;
        try {
            result = phases.time("count", () -> session.execute("wordcount"));
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        outcome.put("partitions", partitions).put("splits", splits.size())
                .put("bytes_in", TextSplit.bytes(options.text("input")))
                .put("bytes_out", result.<Long>getAccumulatorResult("bytes"));
        phases.report(outcome, "count");
    }
}
