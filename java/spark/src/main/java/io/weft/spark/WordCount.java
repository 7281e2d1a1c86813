package io.weft.spark;

import io.weft.core.Match;
import io.weft.job.TextJob;
import org.apache.spark.SparkConf;

/**
 * Counts the words of a text. A map task counts what it reads in a table of its own, and gives each word once; the
 * shuffle brings a word's counts together. The counts are checked by {@code WordCountValidate}.
 */
public final class WordCount extends TextJob<Session> {
    public static void main(String[] args) {
        main(new WordCount(), args);
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("wordcount"), executors());
    }

    @Override
    protected long write(Session session) throws Exception {
        return phases.measure("count", () -> TextRdds.write(TextRdds.counts(session.spark, splits(), "", partitions())
                .map(pair -> new Match(pair._1(), pair._2())), output()));
    }
}
