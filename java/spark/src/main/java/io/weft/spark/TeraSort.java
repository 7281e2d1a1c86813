package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.job.TeraSortJob;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;

/** TeraSort by Spark's own operators, or by weft's sorter behind Spark's shuffle. */
public final class TeraSort extends TeraSortJob<Session> {
    public static void main(String[] args) {
        main(new TeraSort(), args);
    }

    @Override
    protected Session open() throws Exception {
        String name = "terasort-" + method().word();
        return switch (method()) {
            case RAW -> new Session(RawSort.conf(name), executors());
            case KRYO -> new Session(KryoSort.conf(name), executors());
            default -> new Session(new SparkConf().setAppName(name), executors(), SqlSession::get);
        };
    }

    @Override
    protected boolean sortIsOptional() {
        return method() != Method.KRYO;
    }

    @Override
    protected long sort(Session session, Outcome outcome) throws Exception {
        return (switch (method()) {
            case RAW -> RawSort.sort(session.spark, splits(), output(), partitions(), sort(), phases);
            case KRYO -> phases.measure("sort", () -> KryoSort.sort(read(session), output(), partitions()));
            default -> {
                SparkSession sql = phases.time("start", SqlSession::get);
                yield phases.measure("sort", () -> StockSort.sort(sql, read(session), output(), partitions(), sort()));
            }
        }).stream().mapToLong(Long::longValue).sum();
    }

    private JavaRDD<byte[]> read(Session session) {
        return StockSort.read(session.spark, input(), splitBytes());
    }
}
