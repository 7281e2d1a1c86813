package io.weft.spark;

import io.weft.core.Attempt;
import io.weft.core.LineTally;
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
 * Counts the strings that match a regular expression, as Hadoop's example does: one job counts, and one part holds the
 * counts in falling order. Checked by {@code GrepValidate}.
 */
public final class Grep {
    private static final List<String> KEYS = Session.keys("input", "output", "pattern", "partitions", "split-bytes");

    private Grep() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Grep::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        String output = options.text("output");
        String pattern = LineTally.pattern(options.text("pattern")).pattern();
        List<TextSplit> splits = TextSplit.of(options.text("input"),
                options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40));
        Attempt.requireEmpty(output);
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(new SparkConf().setAppName("grep"), options));
        long written;
        try (session) {
            written = phases.time("search", () -> TextJob.write(
                    TextJob.counts(session.spark, splits, pattern, partitions)
                            .map(pair -> new Match(pair._1(), pair._2())).sortBy(match -> match, true, 1), output));
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        outcome.put("partitions", partitions).put("splits", splits.size())
                .put("bytes_in", TextSplit.bytes(options.text("input"))).put("bytes_out", written);
        phases.report(outcome, "search");
        session.report(outcome);
    }
}
