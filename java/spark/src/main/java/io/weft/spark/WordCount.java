package io.weft.spark;

import io.weft.core.Attempt;
import io.weft.core.Match;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.Store;
import io.weft.core.TextSplit;
import java.util.List;
import org.apache.spark.SparkConf;

/**
 * Counts the words of a text. A map task counts what it reads in a table of its own, and gives each word once; the
 * shuffle brings a word's counts together. The counts are checked by {@code WordCountValidate}.
 */
public final class WordCount {
    private static final List<String> KEYS = Session.keys("input", "output", "partitions", "split-bytes");

    private WordCount() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, WordCount::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        String output = options.text("output");
        List<TextSplit> splits = TextSplit.of(options.text("input"),
                options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40));
        Attempt.requireEmpty(output);
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(new SparkConf().setAppName("wordcount"), options));
        long written;
        try (session) {
            written = phases.time("count", () -> TextJob.write(TextJob.counts(session.spark, splits, "", partitions)
                    .map(pair -> new Match(pair._1(), pair._2())), output));
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        outcome.put("partitions", partitions).put("splits", splits.size())
                .put("bytes_in", TextSplit.bytes(options.text("input"))).put("bytes_out", written);
        phases.report(outcome, "count");
        session.report(outcome);
    }
}
