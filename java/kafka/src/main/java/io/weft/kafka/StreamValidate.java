package io.weft.kafka;

import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.stream.Control;
import io.weft.stream.Step;
import io.weft.stream.StreamCheck;
import io.weft.stream.StreamOptions;
import io.weft.stream.StreamTotals;
import io.weft.stream.Topics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads again all that producers published and all that the engine answered, and compares it with the generator. */
public final class StreamValidate extends Program {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PATIENCE_NANOS = Duration.ofMinutes(1).toNanos();

    @Option(names = "--client", required = true)
    private Path client;

    @Mixin
    private StreamOptions stream;

    public static void main(String[] args) {
        main(new StreamValidate(), args);
    }

    /** Takes a record of a topic. */
    private interface Taker {
        void take(ConsumerRecord<byte[], byte[]> record) throws Exception;
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        var spec = stream.spec();
        long[] each = {0};
        read(Topics.CONTROL, 1, record -> {
            Step step = Step.of(new String(record.value(), StandardCharsets.UTF_8));
            each[0] = step == null ? each[0] : Math.max(each[0], step.first() + step.each());
        });
        StreamCheck check = new StreamCheck(spec, each[0], outcome);
        read(Topics.RECORDS, spec.producers(), record -> check.published(record.partition(), record.value()));
        read(Topics.RESULTS, 1, record -> check.result(
                StreamTotals.parse(new String(record.value(), StandardCharsets.UTF_8), spec.producers())));
        check.finish();
        outcome.put("each", each[0]);
    }

    /** Reads a topic from its beginning to its present end. */
    private void read(String topic, int partitions, Taker taker) throws Exception {
        List<TopicPartition> all =
                IntStream.range(0, partitions).mapToObj(number -> new TopicPartition(topic, number)).toList();
        var bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> in = new KafkaConsumer<>(Control.properties(client), bytes, bytes)) {
            in.assign(all);
            in.seekToBeginning(all);
            Map<TopicPartition, Long> ends = in.endOffsets(all);
            long until = System.nanoTime() + PATIENCE_NANOS;
            while (all.stream().anyMatch(each -> in.position(each) < ends.get(each))) {
                var polled = in.poll(POLL);
                for (ConsumerRecord<byte[], byte[]> record : polled) {
                    taker.take(record);
                }
                until = polled.isEmpty() ? until : System.nanoTime() + PATIENCE_NANOS;
                if (System.nanoTime() > until) {
                    throw new IllegalStateException("the brokers do not answer what is in the topic " + topic);
                }
            }
        }
    }
}
