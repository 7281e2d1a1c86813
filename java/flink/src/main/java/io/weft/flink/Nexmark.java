package io.weft.flink;

import io.weft.job.NexmarkJob;
import io.weft.nexmark.NexmarkSpec;
import io.weft.stream.Topics;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Nexmark's queries by Flink SQL. */
public final class Nexmark extends NexmarkJob<StreamSession> {
    private static final long POLL_MILLIS = 100;
    private static final long WATERMARK_MILLIS = 100;
    /** After the last record has been read; a watermark behind it follows within {@link #WATERMARK_MILLIS}. */
    private static final long AFTER_MILLIS = 1000;

    public static void main(String[] args) {
        main(new Nexmark(), args);
    }

    @Override
    protected StreamSession open() {
        return new StreamSession();
    }

    @Override
    protected Draining start(StreamSession session) throws Exception {
        RunningJob.checkpoint(session.flink, checkpoints(), checkpointMillis());
        session.flink.configure(new Configuration().set(StateBackendOptions.STATE_BACKEND, rocksdb() ? "rocksdb" : "hashmap"));
        session.flink.setParallelism(tasks());
        session.flink.getConfig().setAutoWatermarkInterval(WATERMARK_MILLIS);
        StreamTableEnvironment sql = StreamTableEnvironment.create(session.flink);
        sql.getConfig().set("table.local-time-zone", "UTC");
        WatermarkStrategy<Tuple2<Long, byte[]>> times =
                WatermarkStrategy.<Tuple2<Long, byte[]>>forBoundedOutOfOrderness(Duration.ofMillis(delayMillis()))
                        .withTimestampAssigner((event, at) -> EventLine.time(event.f1));
        DataStream<Tuple2<Long, byte[]>> events = session.flink.fromSource(source(), times, "events");
        for (EventTable table : EventTable.values()) {
            String name = table.name().toLowerCase(Locale.ROOT);
            if (used(name)) {
                sql.createTemporaryView(name, events.flatMap(new EventRows(table)).returns(table.row()), table.schema());
            }
        }
        for (String name : names()) {
            rows(sql, name).sinkTo(sink(name)).name("results of " + name);
        }
        RunningJob job = new RunningJob(session.flink.executeAsync("nexmark"), checkpoints());
        job.await();
        return new Draining() {
            @Override
            public void check() throws Exception {
                job.check();
            }

            @Override
            public int restarts() throws Exception {
                return job.restarts();
            }

            @Override
            public long drain() throws Exception {
                return drained(job);
            }

            @Override
            public Map<TopicPartition, Long> consumed(Consumer<byte[], byte[]> brokers) {
                Map<TopicPartition, Long> found = new HashMap<>();
                brokers.committed(Set.copyOf(partitions())).forEach((each, until) -> {
                    if (until != null) {
                        found.put(each, until.offset());
                    }
                });
                return found;
            }

            @Override
            public void stop() throws Exception {
                job.stop();
            }
        };
    }

    /** The rows of a result. Of one that is updated, what a row was before is left out: the next one of its key says what it is. */
    private DataStream<Row> rows(StreamTableEnvironment sql, String name) throws Exception {
        Table result = sql.sqlQuery(text(name));
        return updated(name)
                ? sql.toChangelogStream(result).filter(row -> row.getKind() != RowKind.UPDATE_BEFORE).name("updates of " + name)
                : sql.toDataStream(result);
    }

    /** Whether a query reads a table: an operator runs also if none does. */
    private boolean used(String table) throws Exception {
        for (String name : names()) {
            if (Pattern.compile("\\b" + table + "\\b").matcher(text(name)).find()) {
                return true;
            }
        }
        return false;
    }

    /**
     * A checkpoint commits the offsets of what was read before it, but the connector's reader first ends its wait for
     * the next record, up to 10 s: ticks end it.
     */
    private long drained(RunningJob job) throws Exception {
        var bytes = new ByteArrayDeserializer();
        Properties known = client();
        known.put("group.id", GROUP);
        List<TopicPartition> all = partitions();
        var plain = new ByteArraySerializer();
        try (KafkaConsumer<byte[], byte[]> in = new KafkaConsumer<>(known, bytes, bytes);
                KafkaProducer<byte[], byte[]> out = new KafkaProducer<>(client(), plain, plain)) {
            Map<TopicPartition, Long> ends = in.endOffsets(all);
            while (!reached(in.committed(Set.copyOf(all)), ends)) {
                job.check();
                for (TopicPartition each : all) {
                    out.send(new ProducerRecord<>(each.topic(), each.partition(), null, NexmarkSpec.tick()));
                }
                Thread.sleep(POLL_MILLIS);
            }
        }
        long consumed = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        Thread.sleep(AFTER_MILLIS);
        job.save();
        return consumed;
    }

    private List<TopicPartition> partitions() {
        return IntStream.range(0, producers()).mapToObj(i -> new TopicPartition(Topics.RECORDS, i)).toList();
    }

    private static boolean reached(Map<TopicPartition, OffsetAndMetadata> committed, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> end.getValue() == 0 || committed.get(end.getKey()) != null
                && committed.get(end.getKey()).offset() >= end.getValue());
    }

    private KafkaSource<Tuple2<Long, byte[]>> source() throws Exception {
        return KafkaSource.<Tuple2<Long, byte[]>>builder().setProperties(client()).setTopics(Topics.RECORDS)
                .setGroupId(GROUP).setStartingOffsets(OffsetsInitializer.earliest())
                .setDeserializer(new EventLine()).build();
    }

    private KafkaSink<Row> sink(String name) throws Exception {
        Properties known = client();
        known.put("linger.ms", "0");
        return KafkaSink.<Row>builder().setBootstrapServers(known.getProperty("bootstrap.servers"))
                .setKafkaProducerConfig(known).setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
                .setRecordSerializer(new ResultLine(name, updated(name))).build();
    }
}
