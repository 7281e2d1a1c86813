package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks, merge and range table against sorting whole arrays, for random, few, equal and late-differing keys. */
class SortTest {
    @ParameterizedTest
    @CsvSource({"1,0,256", "1000,0,256", "1000,0,3", "1000,0,1", "1000,8,256", "1000,9,2", "1000,6,2", "0,0,256"})
    void mergedBlocksAreInOrder(int rows, int varyFrom, int values) throws IOException {
        byte[][] records = records(rows, varyFrom, values);
        for (int capacity : new int[] {1, 7, 400, 5000}) {
            assertArrayEquals(sorted(records), merged(records, capacity), "capacity " + capacity);
        }
    }

    @Test
    void rangesFollowTheOrderOfKeys() throws Exception {
        Random random = new Random(11);
        long[] sample = random.longs(10_000).toArray();
        RangeTable table = copy(RangeTable.of(sample, 100));
        long[] keys = random.longs(10_000).map(key -> key ^ Long.MIN_VALUE).sorted().toArray();
        int[] counts = new int[100];
        int last = 0;
        for (long key : keys) {
            int range = table.range(key ^ Long.MIN_VALUE);
            assertTrue(range >= last && range < 100);
            counts[range]++;
            last = range;
        }
        assertTrue(Arrays.stream(counts).allMatch(count -> count > 30 && count < 250), Arrays.toString(counts));
    }

    @Test
    void equalKeysShareOneRange() {
        RangeTable table = RangeTable.of(new long[] {5, 5, 5, 5}, 4);
        assertEquals(0, table.range(4));
        assertEquals(3, table.range(5));
        assertEquals(3, table.range(-1));
        assertEquals(0, RangeTable.of(new long[0], 4).range(77));
        assertEquals(0, RangeTable.of(new long[] {1}, 1).range(-1));
    }

    private static byte[][] records(int rows, int varyFrom, int values) {
        Random random = new Random(rows + varyFrom * 31L + values);
        byte[][] records = new byte[rows][TeraRecord.LENGTH];
        for (byte[] record : records) {
            for (int i = varyFrom; i < TeraRecord.KEY; i++) {
                record[i] = (byte) (random.nextInt(values) * 255 / values);
            }
        }
        return records;
    }

    private static byte[][] sorted(byte[][] records) {
        byte[][] copy = records.clone();
        Arrays.sort(copy, Comparator.comparing(row -> Arrays.copyOf(row, 10), Arrays::compareUnsigned));
        return copy;
    }

    private static byte[][] merged(byte[][] records, int capacity) throws IOException {
        List<RecordBlock> blocks = new ArrayList<>();
        KeyOrder.Scratch scratch = new KeyOrder.Scratch(capacity);
        for (byte[] record : records) {
            if (blocks.isEmpty() || blocks.get(blocks.size() - 1).rows() == capacity) {
                blocks.add(new RecordBlock(capacity, scratch));
            }
            assertEquals(TeraRecord.LENGTH, blocks.get(blocks.size() - 1).add(record, 0, record.length));
        }
        blocks.forEach(RecordBlock::sort);
        Merge merge = new Merge(blocks);
        List<byte[]> result = new ArrayList<>();
        // some of the array is left, and what it holds is no multiple of what is chosen at once
        byte[] some = new byte[7 + 150 * TeraRecord.LENGTH + 99];
        for (int read = merge.read(some, 7); read > 0; read = merge.read(some, 7)) {
            for (int at = 7; at < 7 + read; at += TeraRecord.LENGTH) {
                result.add(Arrays.copyOfRange(some, at, at + TeraRecord.LENGTH));
            }
        }
        return result.toArray(byte[][]::new);
    }

    private static RangeTable copy(RangeTable table) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(table);
        return (RangeTable) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    }
}
