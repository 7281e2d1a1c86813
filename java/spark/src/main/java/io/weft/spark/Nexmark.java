package io.weft.spark;

import io.weft.job.NexmarkJob;
import io.weft.stream.Topics;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/** Nexmark's queries by Spark SQL, in micro-batches of Structured Streaming; one whose rows are updated ends in a function with state. */
public final class Nexmark extends NexmarkJob<Session> {
    private static final String STATES = "org.apache.spark.sql.execution.streaming.state.";
    /** A partition and its offset in the text of a source's offsets. */
    private static final Pattern OFFSET = Pattern.compile("\"(\\d+)\" *: *(\\d+)");
    private static final String PERSON = "P: id bigint, name string, emailAddress string, creditCard string, city string,"
            + " state string, extra string";
    private static final String AUCTION = "A: id bigint, itemName string, description string, initialBid bigint,"
            + " reserve bigint, expires bigint, seller bigint, category bigint, extra string";
    private static final String BID = "B: auction bigint, bidder bigint, price bigint, channel string, url string,"
            + " extra string";

    public static void main(String[] args) {
        main(new Nexmark(), args);
    }

    @Override
    protected Session open() throws Exception {
        SparkConf conf = new SparkConf().setAppName("nexmark")
                .setIfMissing("spark.sql.shuffle.partitions", "" + tasks()).set("spark.sql.session.timeZone", "UTC")
                .set("spark.sql.streaming.stateStore.providerClass", STATES + (rocksdb() ? "RocksDB" : "HDFSBacked") + "StateStoreProvider");
        return new Session(conf, executors());
    }

    @Override
    protected Draining start(Session session) throws Exception {
        SparkSession sql = SparkSession.builder().sparkContext(session.spark.sc()).getOrCreate();
        List<StreamingQuery> queries = new ArrayList<>();
        for (String name : names()) {
            table(sql, "person", PERSON, windowed(name));
            table(sql, "auction", AUCTION, windowed(name));
            table(sql, "bid", BID, windowed(name));
            Dataset<Row> rows = sql.sql(text(name));
            queries.add(RunningQuery.await(writer(name, lines(name, updated(name) ? CategoryAverages.of(rows) : rows)).start()));
        }
        return new Draining() {
            private final WatermarkLag lag = new WatermarkLag();

            @Override
            public void check() {
                queries.forEach(RunningQuery::check);
            }

            @Override
            public int restarts() {
                // a query that fails is not started again; tasks are, and are counted as failed
                return 0;
            }

            @Override
            public long drain() {
                queries.forEach(StreamingQuery::processAllAvailable);
                return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
            }

            @Override
            public Map<TopicPartition, Long> consumed(Consumer<byte[], byte[]> brokers) {
                Map<TopicPartition, Long> found = new HashMap<>();
                for (StreamingQuery query : queries) {
                    // Spark keeps a hundred, and this is called some times a second
                    lag.note(query.recentProgress());
                    StreamingQueryProgress batch = query.lastProgress();
                    if (batch == null) {
                        return Map.of();
                    }
                    for (SourceProgress source : batch.sources()) {
                        offsets(source.endOffset()).forEach((each, until) -> found.merge(each, until, Math::min));
                    }
                }
                return found;
            }

            @Override
            public Map<String, Object> facts() {
                queries.forEach(query -> lag.note(query.recentProgress()));
                return Map.of("watermark_lag_seconds", lag.seconds());
            }

            @Override
            public void stop() throws Exception {
                for (StreamingQuery query : queries) {
                    query.stop();
                }
            }
        };
    }

    /** By partition, of a source's progress, which may have none. */
    static Map<TopicPartition, Long> offsets(String progress) {
        Map<TopicPartition, Long> found = new HashMap<>();
        Matcher each = OFFSET.matcher(progress == null ? "" : progress);
        while (each.find()) {
            found.put(new TopicPartition(Topics.RECORDS, Integer.parseInt(each.group(1))), Long.parseLong(each.group(2)));
        }
        return found;
    }

    /** A table of one kind of event: the moment, the event time, and the fields of its lines. */
    private void table(SparkSession sql, String name, String description, boolean windowed) throws Exception {
        String[] columns = description.substring(2).strip().split(", *");
        List<String> wanted = new ArrayList<>(List.of("sent", "unix_millis(eventTime) as millis", "eventTime"));
        for (int i = 0; i < columns.length; i++) {
            String[] column = columns[i].split(" ");
            wanted.add("cast(f[" + (i + 2) + "] as " + column[1] + ") as " + column[0]);
        }
        Dataset<Row> events = reader(sql).load()
                .selectExpr("unix_millis(timestamp) as sent", "split(cast(value as string), ',') as f")
                .selectExpr("sent", "timestamp_millis(cast(f[1] as bigint)) as eventTime", "f");
        if (windowed) {
            events = events.withWatermark("eventTime", delayMillis() + " milliseconds");
        }
        events.where("f[0] = '" + description.charAt(0) + "'").selectExpr(wanted.toArray(String[]::new))
                .createOrReplaceTempView(name);
    }

    private DataStreamReader reader(SparkSession sql) throws Exception {
        DataStreamReader reader = sql.readStream().format("kafka").option("subscribe", Topics.RECORDS)
                .option("startingOffsets", "earliest").option("failOnDataLoss", "true");
        client().forEach((key, value) -> reader.option("kafka." + key, (String) value));
        return reader;
    }

    /**
     * Each row as a key, the query and its first column, and a line with commas between the others, times in milliseconds. If rows are
     * updated, a line begins with 1, since no row is ever gone, and all of a key are in one partition.
     */
    private Dataset<Row> lines(String query, Dataset<Row> rows) {
        List<String> texts = new ArrayList<>();
        for (StructField field : rows.schema().fields()) {
            String name = "`" + field.name() + "`";
            texts.add("cast(" + (field.dataType().equals(DataTypes.TimestampType) ? "unix_millis(" + name + ")" : name)
                    + " as string)");
        }
        List<String> values = new ArrayList<>(updated(query) ? List.of("'1'") : List.of());
        values.addAll(texts.subList(1, texts.size()));
        List<String> columns = new ArrayList<>(List.of("concat('" + query + " ', " + texts.get(0) + ") as key",
                "concat_ws(',', " + String.join(", ", values) + ") as value"));
        if (updated(query)) {
            columns.add("pmod(hash(" + texts.get(1) + "), " + producers() + ") as partition");
        }
        return rows.selectExpr(columns.toArray(String[]::new));
    }

    private DataStreamWriter<Row> writer(String name, Dataset<Row> lines) throws Exception {
        DataStreamWriter<Row> writer = lines.writeStream().outputMode("append").format("kafka")
                .option("topic", Topics.RESULTS).option("kafka.linger.ms", "0")
                .option("checkpointLocation", checkpoints() + "/" + name);
        client().forEach((key, value) -> writer.option("kafka." + key, (String) value));
        return writer.trigger(Trigger.ProcessingTime(intervalMillis()));
    }
}
