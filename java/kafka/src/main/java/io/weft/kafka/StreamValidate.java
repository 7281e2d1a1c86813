package io.weft.kafka;

import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.stream.Control;
import io.weft.stream.Step;
import io.weft.stream.StreamCheck;
import io.weft.stream.StreamOptions;
import io.weft.stream.StreamSpec;
import io.weft.stream.StreamTotals;
import io.weft.stream.Topics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
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
    interface Taker {
        void take(ConsumerRecord<byte[], byte[]> record) throws Exception;
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        var bytes = new ByteArrayDeserializer();
        try (Consumer<byte[], byte[]> in = new KafkaConsumer<>(Control.properties(client), bytes, bytes)) {
            check(in, stream.spec(), PATIENCE_NANOS, outcome);
        }
    }

    /** Reads all topics, and puts what is in them. */
    static void check(Consumer<byte[], byte[]> in, StreamSpec spec, long patience, Outcome outcome) throws Exception {
        long[] each = {0};
        read(in, Topics.CONTROL, 1, patience, record -> {
            Step step = Step.of(new String(record.value(), StandardCharsets.UTF_8));
            each[0] = step == null ? each[0] : Math.max(each[0], step.first() + step.each());
        });
        StreamCheck check = new StreamCheck(spec, each[0], outcome);
        read(in, Topics.RECORDS, spec.producers(), patience,
                record -> check.published(record.partition(), record.value()));
        read(in, Topics.RESULTS, 1, patience, record -> check.result(
                StreamTotals.parse(new String(record.value(), StandardCharsets.UTF_8), spec.producers())));
        check.finish();
        outcome.put("each", each[0]);
    }

    /** Reads a topic from its beginning to its present end. */
    static void read(Consumer<byte[], byte[]> in, String topic, int partitions, long patience, Taker taker)
            throws Exception {
        List<TopicPartition> all =
                IntStream.range(0, partitions).mapToObj(number -> new TopicPartition(topic, number)).toList();
        in.assign(all);
        in.seekToBeginning(all);
        Map<TopicPartition, Long> ends = in.endOffsets(all);
        long until = System.nanoTime() + patience;
        while (all.stream().anyMatch(each -> in.position(each) < ends.get(each))) {
            var polled = in.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> record : polled) {
                taker.take(record);
            }
            until = polled.isEmpty() ? until : System.nanoTime() + patience;
            if (System.nanoTime() > until) {
                throw new IllegalStateException("the brokers do not answer what is in the topic " + topic);
            }
        }
    }
}
