package io.weft.spark;

import io.weft.job.StreamJob;
import io.weft.stream.Topics;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/** Totals of a stream after each micro-batch, or in real-time mode after each record, by one aggregation of Structured Streaming. */
public final class StreamStatistics extends StreamJob<Session> {
    public static void main(String[] args) {
        main(new StreamStatistics(), args);
    }

    @Override
    protected Session open() throws Exception {
        // in real-time mode, tasks take their slots all the time
        SparkConf conf = new SparkConf().setAppName("stream-statistics")
                .setIfMissing("spark.sql.shuffle.partitions", realTime() ? "1" : "" + tasks());
        if (realTime()) {
            // a task that aggregates would wait for a slot of the node with its state, which one that reads may have
            conf.setIfMissing("spark.locality.wait", "0s");
        }
        return new Session(conf, executors());
    }

    @Override
    protected Stream start(Session session) throws Exception {
        SparkSession sql = SparkSession.builder().sparkContext(session.spark.sc()).getOrCreate();
        StreamingQuery query = RunningQuery.await(writer(totals(reader(sql).load())).start());
        return new Stream() {
            @Override
            public void check() throws Exception {
                RunningQuery.check(query);
            }

            @Override
            public int restarts() {
                // a query that fails is not started again; tasks are, and are counted as failed
                return 0;
            }

            @Override
            public void stop() throws Exception {
                query.stop();
            }
        };
    }

    private DataStreamReader reader(SparkSession sql) throws Exception {
        DataStreamReader reader = sql.readStream().format("kafka").option("subscribe", Topics.RECORDS)
                .option("startingOffsets", "earliest").option("failOnDataLoss", "true");
        client().forEach((key, value) -> reader.option("kafka." + key, (String) value));
        return reader;
    }

    /** One line: least, greatest, sum, and the records of each producer, which is its partition. */
    private Dataset<Row> totals(Dataset<Row> records) {
        Dataset<Row> numbers = records.selectExpr("partition",
                "cast(split_part(cast(value as string), ' ', " + (field() + 1) + ") as bigint) as number");
        // the first batch may be empty
        List<String> columns = new ArrayList<>(List.of(or("min", Long.MAX_VALUE), or("max", Long.MIN_VALUE), or("sum", 0)));
        for (int producer = 0; producer < producers(); producer++) {
            columns.add("count_if(partition = " + producer + ")");
        }
        return numbers.agg(org.apache.spark.sql.functions
                .expr("concat_ws(' ', " + String.join(", ", columns) + ")").as("value"));
    }

    private static String or(String aggregate, long value) {
        return "coalesce(" + aggregate + "(number), cast('" + value + "' as bigint))";
    }

    private DataStreamWriter<Row> writer(Dataset<Row> totals) throws Exception {
        DataStreamWriter<Row> writer = totals.writeStream().outputMode("update").format("kafka")
                .option("topic", Topics.RESULTS).option("kafka.linger.ms", "0")
                .option("checkpointLocation", checkpoints());
        client().forEach((key, value) -> writer.option("kafka." + key, (String) value));
        return writer.trigger(realTime() ? Trigger.RealTime(checkpointMillis())
                : Trigger.ProcessingTime(intervalMillis()));
    }

    private boolean realTime() {
        return intervalMillis() == 0;
    }
}
