package io.weft.spark;

import io.weft.core.Match;
import io.weft.job.GrepJob;
import org.apache.spark.SparkConf;

/**
 * Counts the strings that match a regular expression, as Hadoop's example does: one job counts, and one part holds the
 * counts in falling order. Checked by {@code GrepValidate}.
 */
public final class Grep extends GrepJob<Session> {
    public static void main(String[] args) {
        main(new Grep(), args);
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("grep"), executors());
    }

    @Override
    protected long write(Session session) throws Exception {
        return phases.measure("search", () -> TextRdds.write(
                TextRdds.counts(session.spark, splits(), pattern(), partitions())
                        .map(pair -> new Match(pair._1(), pair._2())).sortBy(match -> match, true, 1), output()));
    }
}
