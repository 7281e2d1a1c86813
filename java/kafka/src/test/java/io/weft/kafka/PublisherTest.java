package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.stream.Control;
import io.weft.stream.Pong;
import io.weft.stream.Step;
import io.weft.stream.StreamSpec;
import io.weft.stream.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Producers by Kafka's mock clients. */
class PublisherTest {
    private static final StreamSpec SPEC = new StreamSpec(2, 80, 8, 1, 42);
    private static final long EACH = 400;

    private final MockProducer<byte[], byte[]> brokers =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    /** A step that should have begun so many microseconds ago. */
    private static Step begun(long ago) {
        return new Step(3, 100, EACH, Clock.micros() - ago, 1e6);
    }

    @Test
    void everyRecordIsSentOnceInItsOrderAlsoByAProducerThatIsLate() throws Exception {
        new Publisher(SPEC, 1, brokers).publish(begun(2_000_000));
        List<ProducerRecord<byte[], byte[]>> sent = brokers.history();
        assertEquals(EACH, sent.size());
        for (int i = 0; i < EACH; i++) {
            assertEquals(List.of(Topics.RECORDS, 1), List.of(sent.get(i).topic(), sent.get(i).partition()));
            assertArrayEquals(SPEC.record(1, 100 + i), sent.get(i).value());
        }
    }

    @Test
    void whatIsObservedCountsFromTheIntendedMoment() throws Exception {
        Published late = new Publisher(SPEC, 0, brokers).publish(begun(2_000_000));
        assertTrue(late.lateMicros() > 1_900_000, late.toString());
        assertTrue(late.mostLateMicros() >= 2_000_000 - EACH, late.toString());
        assertEquals(late, Published.of(late.message()));
        assertNull(Published.of(Control.READY));
        long begin = Clock.micros() + 50_000;
        Step later = new Step(4, 0, 10, begin, 1000);
        new Publisher(SPEC, 0, brokers).publish(later);
        assertTrue(Clock.micros() >= later.intended(0, 2, 9), "no record is sent before its moment");
    }

    @Test
    void aRecordThatTheBrokersGaveUpIsAnError() {
        MockProducer<byte[], byte[]> failing =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                    @Override
                    public synchronized void flush() {
                        errorNext(new TimeoutException("120000 ms has passed"));
                        super.flush();
                    }
                };
        Publisher publisher = new Publisher(SPEC, 0, failing);
        assertThrows(TimeoutException.class, () -> publisher.publish(begun(0)));
    }

    @Test
    void stepsArePublishedUntilTheEndAndPingsAnswered() throws Exception {
        MockConsumer<String, String> in = new MockConsumer<>("earliest");
        MockProducer<String, String> out = new MockProducer<>(true, null, new StringSerializer(), new StringSerializer());
        TopicPartition topic = new TopicPartition(Topics.CONTROL, 0);
        in.updateBeginningOffsets(Map.of(topic, 0L));
        try (Control control = new Control(in, out)) {
            AtomicLong offset = new AtomicLong();
            Step step = begun(0);
            for (String text : List.of(Control.READY, Control.PING + 7, step.message(), Control.END, step.message())) {
                in.addRecord(new ConsumerRecord<>(Topics.CONTROL, 0, offset.getAndIncrement(), null, text));
            }
            List<Publisher> both = List.of(new Publisher(SPEC, 0, brokers),
                    new Publisher(SPEC, 1, new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer())));
            assertEquals(2 * EACH, Produce.follow(control, both, 5));
            List<String> answers = out.history().stream().map(ProducerRecord::value).toList();
            assertEquals(3, answers.size());
            assertEquals(List.of(7, 5), List.of(Pong.of(answers.get(0)).ping(), Pong.of(answers.get(0)).first()));
            assertEquals(List.of(0, 1), answers.subList(1, 3).stream().map(one -> Published.of(one).producer()).toList());
        }
    }
}
