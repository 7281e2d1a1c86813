package io.weft.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.nexmark.NexmarkSpec;
import io.weft.stream.Step;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Rows of tables from the generator's lines, and lines of results. */
class NexmarkRowsTest {
    private static final NexmarkSpec SPEC = new NexmarkSpec(1, 3, 0, 0, 0);
    private static final Step STEP = new Step(0, 0, 1000, 0, 1000, NexmarkSpec.BEGIN_MILLIS);

    @Test
    void eachEventIsARowOfOneTableWithAllFields() {
        for (long number = 0; number < 500; number++) {
            byte[] line = SPEC.record(STEP, 0, number);
            String[] fields = new String(line, StandardCharsets.US_ASCII).split(",", -1);
            EventTable of = number % 50 == 0 ? EventTable.PERSON : number % 50 < 4 ? EventTable.AUCTION : EventTable.BID;
            for (EventTable table : EventTable.values()) {
                assertEquals(table == of, table.holds(line));
            }
            Row row = EventRows.row(of, 17, line);
            assertEquals(fields.length, row.getArity());
            assertEquals(17L, row.getField(0));
            for (int i = 1; i < fields.length; i++) {
                assertEquals(fields[i], row.getField(i).toString());
                assertEquals(of.types()[i].getTypeClass(), row.getField(i).getClass());
            }
            assertEquals(NexmarkSpec.BEGIN_MILLIS + number, EventLine.time(line));
        }
    }

    @Test
    void aRowOfAResultIsItsMomentAndALine() {
        var record = new ResultLine("q5", false).serialize(Row.of(LocalDateTime.of(2015, 7, 15, 0, 0, 10), 7L,
                new BigDecimal("1234567890.100"), Instant.ofEpochMilli(1500), "a b"), null, null);
        assertEquals("q5 1436918410000", new String(record.key(), StandardCharsets.US_ASCII));
        assertEquals("7,1234567890.100,1500,a b", new String(record.value(), StandardCharsets.US_ASCII));
        assertTrue(EventTable.BID.number(2));
        assertFalse(EventTable.BID.number(3));
    }

    @Test
    void updatesOfAKeyAreInOnePartitionAndSayWhetherItIsThere() {
        Set<Integer> partitions = new HashSet<>();
        for (long key = 10; key < 15; key++) {
            var now = updated(RowKind.UPDATE_AFTER, 1500, key);
            var gone = updated(RowKind.DELETE, 1700, key);
            assertEquals("q4 1500", new String(now.key(), StandardCharsets.US_ASCII));
            assertEquals("1," + key + ",3", new String(now.value(), StandardCharsets.US_ASCII));
            assertEquals("q4", new String(gone.key(), StandardCharsets.US_ASCII));
            assertEquals("0," + key + ",3", new String(gone.value(), StandardCharsets.US_ASCII));
            assertEquals(now.partition(), gone.partition());
            partitions.add(now.partition());
        }
        assertEquals(Set.of(0, 1), partitions);
    }

    private static ProducerRecord<byte[], byte[]> updated(RowKind kind, long moment, long key) {
        Row row = Row.of(moment, key, 3L);
        row.setKind(kind);
        return new ResultLine("q4", true).serialize(row, new KafkaRecordSerializationSchema.KafkaSinkContext() {
            @Override
            public int getParallelInstanceId() {
                return 0;
            }

            @Override
            public int getNumberOfParallelInstances() {
                return 1;
            }

            @Override
            public int[] getPartitionsForTopic(String topic) {
                return new int[] {0, 1};
            }
        }, null);
    }
}
