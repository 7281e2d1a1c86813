package io.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.BlockSorter;
import io.weft.core.Merge;
import io.weft.core.RecordBlock;
import io.weft.core.SpillRun;
import io.weft.core.TeraRecord;
import io.weft.core.TeraRows;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapMemoryTest {
    @TempDir
    Path folder;
    private int files;

    /** Budgets for all in memory, and for one block at a time. */
    @ParameterizedTest
    @ValueSource(longs = {1L << 30, 1})
    void recordsComeOutInOrderWhateverTheBudget(long budget) throws IOException {
        int rows = 3 * RecordBlock.ROWS + 7;
        TeraRows source = new TeraRows(0);
        Records one = new Records();
        one.bytes = new byte[TeraRecord.LENGTH];
        one.length = TeraRecord.LENGTH;
        try (var sorter = new BlockSorter<>(new HeapMemory(budget), this::create)) {
            for (int i = 0; i < rows; i++) {
                source.next(one.bytes, 0);
                sorter.add(one.bytes, one.offset, one.length);
            }
            assertEquals(rows, ordered(sorter.sorted()));
            assertEquals(budget == 1 ? 3L * RecordBlock.ROWS * TeraRecord.LENGTH : 0, sorter.spilled());
        }
        assertEquals(0, folder.toFile().list().length);
    }

    @Test
    void recordsCrossTheShuffleUnchanged() throws IOException {
        Records sent = new Records();
        sent.bytes = new byte[5 * TeraRecord.LENGTH];
        Arrays.setAll(new int[sent.bytes.length], i -> sent.bytes[i] = (byte) i);
        sent.offset = TeraRecord.LENGTH;
        sent.length = 3 * TeraRecord.LENGTH;
        Records got = pass(sent);
        assertArrayEquals(Arrays.copyOfRange(sent.bytes, sent.offset, sent.offset + sent.length),
                Arrays.copyOfRange(got.bytes, got.offset, got.offset + got.length));
    }

    @Test
    void aPartOfARecordIsRefused() {
        Records sent = new Records();
        sent.bytes = new byte[TeraRecord.LENGTH];
        sent.length = TeraRecord.LENGTH - 1;
        assertThrows(IOException.class, () -> pass(sent));
    }

    private static Records pass(Records sent) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        sent.write(new DataOutputStream(bytes));
        Records got = new Records();
        got.readFields(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        return got;
    }

    private static int ordered(Merge merge) throws IOException {
        int rows = 0;
        byte[] last = new byte[TeraRecord.KEY];
        byte[] record = new byte[TeraRecord.LENGTH];
        while (merge.read(record, 0) > 0) {
            byte[] key = Arrays.copyOf(record, TeraRecord.KEY);
            assertTrue(Arrays.compareUnsigned(last, key) <= 0);
            last = key;
            rows++;
        }
        return rows;
    }

    private SpillRun.Place create() {
        File file = folder.resolve("run" + files++).toFile();
        return () -> file;
    }
}
