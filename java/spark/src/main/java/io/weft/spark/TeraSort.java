package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.job.TeraSortJob;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** TeraSort by Spark's own operators, or by weft's sorter behind Spark's shuffle. */
public final class TeraSort extends TeraSortJob<Session> {
    public static void main(String[] args) {
        main(new TeraSort(), args);
    }

    @Override
    protected Session open() throws Exception {
        String name = "terasort-" + method().word();
        return new Session(method() == Method.RAW ? RawSort.conf(name) : new SparkConf().setAppName(name), executors());
    }

    @Override
    protected long sort(Session session, Outcome outcome) throws Exception {
        List<Long> parts;
        if (method() == Method.RAW) {
            parts = RawSort.sort(session.spark, splits(), output(), partitions(), phases);
        } else {
            SparkSession sql = phases.time("start", SparkSession.builder()::getOrCreate);
            parts = phases.measure("sort", () -> StockSort.sort(
                    StockSort.read(session.spark, sql, input(), splitBytes()), output(), partitions()));
        }
        return parts.stream().mapToLong(Long::longValue).sum();
    }
}
