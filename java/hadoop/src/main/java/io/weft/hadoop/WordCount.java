package io.weft.hadoop;

import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import java.util.List;
import org.apache.hadoop.mapreduce.Job;

/**
 * Counts the words of a text. A map task counts what it reads in a table of its own, and gives each word once; the
 * shuffle brings a word's counts together. The counts are checked by {@code WordCountValidate}.
 */
public final class WordCount {
    private static final List<String> KEYS = List.of("input", "output", "partitions", "split-bytes", "executors");

    private WordCount() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, WordCount::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        Phases phases = new Phases();
        Job job = phases.time("start", () -> TextJob.counting("wordcount", options, ""));
        TextJob.writeLines(job, options.text("output"));
        phases.time("count", () -> {
            JobRun.run(job);
            return job;
        });
        phases.report(outcome, "count");
        TextJob.report(options, job, outcome);
    }
}
