package io.weft.spark;

import io.weft.job.Causes;
import io.weft.job.SqlJob;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Queries by Spark SQL. Its settings are those of the command line, as its users know them. */
public final class Sql extends SqlJob<Session> {
    private final GroupTotals totals = new GroupTotals();
    private SparkSession sql;

    public static void main(String[] args) {
        main(new Sql(), args);
    }

    @Override
    protected Session open() throws Exception {
        // Spark counts only what a task's own thread reads, and vectored reads are done by others
        SparkConf conf = new SparkConf().setAppName("sql")
                .setIfMissing("spark.hadoop.parquet.hadoop.vectored.io.enabled", "false");
        if (standard()) {
            // "30 days" is a name in the standard, and a string in Spark
            conf.setIfMissing("spark.sql.ansi.enabled", "true")
                    .setIfMissing("spark.sql.ansi.doubleQuotedIdentifiers", "true");
        }
        Session session = new Session(conf, executors());
        session.spark.sc().addSparkListener(totals);
        sql = SparkSession.builder().getOrCreate();
        return session;
    }

    @Override
    protected void table(Session session, String name, String path) {
        sql.read().parquet(path).createOrReplaceTempView(name);
    }

    @Override
    protected long query(Session session, String label, String text, String to) {
        session.spark.setJobGroup(label, label, false);
        Dataset<Row> rows = sql.sql(text);
        if (standard()) {
            // columns of a result may have any name, or none, but not in a file
            rows = rows.toDF(IntStream.range(0, rows.columns().length).mapToObj(i -> "c" + i).toArray(String[]::new));
        }
        rows.write().parquet(to);
        return System.nanoTime();
    }

    @Override
    protected void end(Session session, String label, Thread runs) {
        session.spark.sc().cancelJobGroupAndFutureJobs(label);
    }

    @Override
    protected Map<String, Object> counted(String label) {
        return totals.of(label);
    }

    @Override
    protected String reason(Exception error) {
        Throwable cause = error;
        // the innermost reason of Spark's own begins with its error class, such as [TABLE_OR_VIEW_NOT_FOUND]
        for (Throwable next = error; next != null && next != next.getCause(); next = next.getCause()) {
            String message = next.getMessage();
            if (message != null && message.startsWith("[")) {
                cause = next;
            }
        }
        Throwable innermost = Causes.innermost(cause);
        String why = innermost == cause ? "" : ", caused by " + Causes.firstLine(innermost.toString()).orElse("");
        return Causes.firstLine(cause.getMessage()).orElse(cause.toString()) + why;
    }
}
