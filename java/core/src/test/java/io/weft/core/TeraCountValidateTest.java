package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What arrived after a shuffle, right and wrong in one way. */
class TeraCountValidateTest {
    private static final int ROWS = 500;
    private static final int RANGES = 4;

    @TempDir
    Path folder;
    private final List<List<byte[]>> ranges = new ArrayList<>();

    @Test
    void whatArrivedWholeIsAccepted() throws Exception {
        assertEquals("", counted(right(RANGES), found -> { }));
        assertEquals("", counted(right(1), found -> { }), "all in one range");
    }

    @Test
    void recordsLostRepeatedChangedOrInAnotherRangeAreNamed() throws Exception {
        assertNamed("row count is 499, expected 500", found -> found.get(1).remove(5));
        assertNamed("row count is 501", found -> found.get(1).add(found.get(1).get(0)));
        assertNamed("partition 1 has", found -> found.get(1).set(0, found.get(1).get(1)));
        assertNamed("partition 2 has", found -> found.get(2).get(3)[50] ^= 1);
        assertNamed("partition 0 has keys up to", found -> found.get(0).add(found.get(3).remove(0)));
        assertNamed("row count is 0", found -> found.forEach(List::clear));
    }

    @Test
    void valuesSwappedBetweenRecordsOfOnePartitionAreNamed() throws Exception {
        assertNamed("partition 1 has", found -> {
            byte[] one = found.get(1).get(0);
            byte[] other = found.get(1).get(1);
            byte[] kept = one.clone();
            System.arraycopy(other, TeraRecord.KEY, one, TeraRecord.KEY, TeraRecord.LENGTH - TeraRecord.KEY);
            System.arraycopy(kept, TeraRecord.KEY, other, TeraRecord.KEY, TeraRecord.LENGTH - TeraRecord.KEY);
        });
    }

    /** Records that are placed and counted by one and the same wrong table. */
    @Test
    void aWrongRangeTableIsNamed() throws Exception {
        assertTrue(counted(prefix -> Math.floorMod((int) prefix, RANGES), found -> { }).contains("has keys up to"), "by hash");
        assertTrue(counted(prefix -> RANGES - 1 - right(RANGES).applyAsInt(prefix), found -> { }).contains("has keys up to"),
                "in reverse");
        assertTrue(counted(prefix -> right(RANGES).applyAsInt(prefix ^ Long.MIN_VALUE), found -> { }).contains("has keys up to"),
                "by signed numbers");
    }

    private void assertNamed(String reason, Consumer<List<List<byte[]>>> fault) throws Exception {
        String found = counted(right(RANGES), fault);
        assertTrue(found.contains(reason), found);
    }

    private static LongToIntFunction right(int ranges) {
        TeraRows rows = new TeraRows(0);
        byte[] record = new byte[TeraRecord.LENGTH];
        long[] keys = new long[ROWS];
        for (int row = 0; row < ROWS; row++) {
            rows.next(record, 0);
            keys[row] = TeraRecord.prefix(record, 0);
        }
        return RangeTable.of(keys, ranges)::range;
    }

    private String counted(LongToIntFunction table, Consumer<List<List<byte[]>>> fault) throws Exception {
        ranges.clear();
        for (int range = 0; range < RANGES; range++) {
            ranges.add(new ArrayList<>());
        }
        TeraRows rows = new TeraRows(0);
        for (int row = 0; row < ROWS; row++) {
            byte[] record = new byte[TeraRecord.LENGTH];
            rows.next(record, 0);
            ranges.get(table.applyAsInt(TeraRecord.prefix(record, 0))).add(record);
        }
        fault.accept(ranges);
        Answer answer = new Answer();
        for (int range = 0; range < RANGES; range++) {
            TeraTally tally = new TeraTally(range);
            ranges.get(range).forEach(record -> tally.count(record, 0, record.length));
            TeraTally.of(tally.text()).put(answer);
        }
        answer.write(folder.resolve("answer"));
        return new TeraCountValidate().call("--answer", folder.resolve("answer").toString(), "--rows", "" + ROWS,
                "--partitions", "" + RANGES, "--threads", "3").reason();
    }
}
