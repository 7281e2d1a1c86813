package io.weft.hadoop;

import io.weft.core.TextSplit;
import io.weft.job.TextJob;
import org.apache.hadoop.mapreduce.Job;

/**
 * Counts the words of a text. A map task counts what it reads in a table of its own, and gives each word once; the
 * shuffle brings a word's counts together. The counts are checked by {@code WordCountValidate}.
 */
public final class WordCount extends TextJob<Session> {
    public static void main(String[] args) {
        main(new WordCount(), args);
    }

    @Override
    protected Session open() {
        return new Session();
    }

    @Override
    protected long write(Session session) throws Exception {
        Job job = TextJobs.counting("wordcount", input(), partitions(), splitBytes(), "");
        TextJobs.writeLines(job, output());
        phases.measure("count", () -> session.run(job));
        return TextSplit.bytes(output());
    }
}
