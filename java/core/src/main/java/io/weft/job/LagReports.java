package io.weft.job;

import io.weft.stream.Control;
import io.weft.stream.Lag;
import io.weft.stream.Topics;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Says some times a second how far the engine is behind the brokers' log, in a thread of its own, until it is closed. */
final class LagReports implements Closeable {
    private static final long PAUSE_MILLIS = 250;
    private static final long PATIENCE_MILLIS = 5000;

    /** What an engine knows of its own progress. */
    interface Consumed {
        /**
         * By partition, the offset of the first record that is not consumed for good; a partition may be missing.
         *
         * @param brokers for engines that commit their offsets there
         */
        Map<TopicPartition, Long> offsets(Consumer<byte[], byte[]> brokers) throws Exception;
    }

    private final Control control;
    private final Consumed consumed;
    private final List<TopicPartition> partitions;
    private final Consumer<byte[], byte[]> brokers;
    private final Thread thread = new Thread(this::run, "lag");
    private volatile boolean closed;

    /** @param client with the group of the engine's consumer */
    LagReports(Properties client, int count, Control control, Consumed consumed) {
        this.control = control;
        this.consumed = consumed;
        partitions = IntStream.range(0, count).mapToObj(i -> new TopicPartition(Topics.RECORDS, i)).toList();
        var bytes = new ByteArrayDeserializer();
        brokers = new KafkaConsumer<>(client, bytes, bytes);
        thread.setDaemon(true);
        thread.start();
    }

    /** Records in the log that are not consumed, over the partitions of which the end is known. */
    static long waiting(Map<TopicPartition, Long> ends, Map<TopicPartition, Long> consumed) {
        return ends.entrySet().stream().mapToLong(end -> end.getValue() - consumed.getOrDefault(end.getKey(), 0L)).sum();
    }

    private void run() {
        try (brokers) {
            while (!closed) {
                say();
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException end) {
            // the process ends
        }
    }

    private void say() {
        try {
            long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
            Map<TopicPartition, Long> offsets = consumed.offsets(brokers);
            control.say(new Lag(now, waiting(brokers.endOffsets(partitions), offsets)).message());
        } catch (Exception gap) {
            // a broker or the engine may be lost for a while: this moment has no report
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        brokers.wakeup();
        try {
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException interrupted) {
            throw new InterruptedIOException("interrupted while the last report of the lag was awaited");
        }
    }
}
