package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** What arrived after a shuffle, right and wrong in one way. */
class TeraTallyTest {
    private static final int ROWS = 500;
    private static final int RANGES = 4;

    @Test
    void whatArrivedWholeIsAccepted() {
        assertEquals("", counted(ranges -> { }));
    }

    @Test
    void wrongArrivalsAreNamed() {
        assertTrue(counted(ranges -> ranges.get(1).remove(5)).contains("row count is 499, expected 500"), "lost");
        assertTrue(counted(ranges -> ranges.get(1).add(ranges.get(1).get(0))).contains("row count is 501"), "repeated");
        assertTrue(counted(ranges -> ranges.get(1).set(0, ranges.get(1).get(1))).contains("checksum"),
                "lost and repeated");
        assertTrue(counted(ranges -> ranges.get(2).get(3)[50] ^= 1).contains("checksum"), "changed");
        assertTrue(counted(ranges -> ranges.get(0).add(ranges.get(3).remove(0))).contains("in a wrong partition is 1"),
                "misplaced");
    }

    private static String counted(Consumer<List<List<byte[]>>> fault) {
        List<byte[]> records = new ArrayList<>();
        Sum128 sum = new Sum128();
        TeraRows rows = new TeraRows(0);
        long[] keys = new long[ROWS];
        for (int i = 0; i < ROWS; i++) {
            byte[] record = new byte[TeraRecord.LENGTH];
            rows.next(record, 0);
            records.add(record);
            keys[i] = TeraRecord.prefix(record, 0);
            CRC32 crc = new CRC32();
            crc.update(record);
            sum.add(crc.getValue());
        }
        RangeTable table = RangeTable.of(keys, RANGES);
        List<List<byte[]>> ranges = new ArrayList<>();
        for (int range = 0; range < RANGES; range++) {
            ranges.add(new ArrayList<>());
        }
        records.forEach(record -> ranges.get(table.range(TeraRecord.prefix(record, 0))).add(record));
        fault.accept(ranges);
        TeraTally total = new TeraTally();
        for (int range = 0; range < RANGES; range++) {
            TeraTally tally = new TeraTally();
            for (byte[] record : ranges.get(range)) {
                Chunk chunk = new Chunk();
                chunk.bytes = record;
                chunk.length = record.length;
                tally.count(chunk, table, range, true);
            }
            tally.end();
            total.add(tally);
        }
        Outcome outcome = new Outcome();
        total.check(ROWS, sum.hex(), outcome);
        return outcome.reason();
    }
}
