package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Outcome;
import io.weft.stream.Control;
import io.weft.stream.Step;
import io.weft.stream.StreamSpec;
import io.weft.stream.StreamTotals;
import io.weft.stream.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** The validator on topics that Kafka's mock consumer has. */
class StreamValidateTest {
    private static final StreamSpec SPEC = new StreamSpec(2, 40, 2, 1, 9);
    private static final long EACH = 50;

    private final Map<TopicPartition, List<byte[]>> topics = new HashMap<>();

    private void right() {
        List<byte[]> messages = List.of(text(Control.READY), text(new Step(0, 0, EACH - 10, 0, 1000).message()),
                text(new Step(1, EACH - 10, 10, 0, 1000).message()), text(Control.END));
        topics.put(new TopicPartition(Topics.CONTROL, 0), new ArrayList<>(messages));
        StreamTotals totals = new StreamTotals(2);
        List<byte[]> results = new ArrayList<>();
        for (int producer = 0; producer < 2; producer++) {
            List<byte[]> records = new ArrayList<>();
            for (long number = 0; number < EACH; number++) {
                records.add(SPEC.record(producer, number));
                totals.add(producer, SPEC.value(producer, number));
                results.add(text(totals.line()));
            }
            topics.put(new TopicPartition(Topics.RECORDS, producer), records);
        }
        topics.put(new TopicPartition(Topics.RESULTS, 0), results);
    }

    private static byte[] text(String message) {
        return message.getBytes(StandardCharsets.UTF_8);
    }

    private Outcome check(long beyond) throws Exception {
        MockConsumer<byte[], byte[]> in = new MockConsumer<>("earliest") {
            @Override
            public synchronized void seekToBeginning(java.util.Collection<TopicPartition> partitions) {
                super.seekToBeginning(partitions);
                partitions.forEach(each -> {
                    List<byte[]> values = topics.get(each);
                    for (int offset = 0; offset < values.size(); offset++) {
                        addRecord(new ConsumerRecord<>(each.topic(), each.partition(), offset, null, values.get(offset)));
                    }
                });
            }
        };
        topics.forEach((topic, values) -> {
            in.updateBeginningOffsets(Map.of(topic, 0L));
            in.updateEndOffsets(Map.of(topic, values.size() + beyond));
        });
        Outcome outcome = new Outcome();
        StreamValidate.check(in, SPEC, 300_000_000L, outcome);
        return outcome;
    }

    @Test
    void allRecordsAndResultsAreReadAndCounted() throws Exception {
        right();
        Outcome outcome = check(0);
        assertEquals("", outcome.reason());
        assertEquals(List.of(EACH, 2 * EACH, 2 * EACH), List.of(outcome.get("each"), outcome.get("records"), outcome.get("results")));
    }

    @Test
    void aRecordThatIsMissingInTheLogIsNamedAndNotCounted() throws Exception {
        right();
        topics.get(new TopicPartition(Topics.RECORDS, 1)).remove(7);
        Outcome outcome = check(0);
        assertTrue(outcome.reason().contains("record 7 of producer 1 in the brokers' log is missing"), outcome.reason());
        assertEquals(2 * EACH - 1, outcome.get("records"));
    }

    @Test
    void aWrongResultIsNamed() throws Exception {
        right();
        topics.get(new TopicPartition(Topics.RESULTS, 0)).set(3, text("1 2 3 4 0"));
        assertTrue(check(0).reason().startsWith("result 4 is 1 2 3 4 0"));
    }

    @Test
    void brokersThatDoNotAnswerAreAnError() {
        right();
        assertTrue(assertThrows(IllegalStateException.class, () -> check(1)).getMessage()
                .contains("do not answer what is in the topic"));
    }
}
