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
import org.apache.flink.types.Row;
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
        var record = new ResultLine("q5").serialize(Row.of(LocalDateTime.of(2015, 7, 15, 0, 0, 10), 7L,
                new BigDecimal("1234567890.100"), Instant.ofEpochMilli(1500), "a b"), null, null);
        assertEquals("q5 1436918410000", new String(record.key(), StandardCharsets.US_ASCII));
        assertEquals("7,1234567890.100,1500,a b", new String(record.value(), StandardCharsets.US_ASCII));
        assertTrue(EventTable.BID.number(2));
        assertFalse(EventTable.BID.number(3));
    }
}
