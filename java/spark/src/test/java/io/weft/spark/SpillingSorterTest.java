package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Chunk;
import io.weft.core.Merge;
import io.weft.core.RecordBlock;
import io.weft.core.SpillRun;
import io.weft.core.Sum128;
import io.weft.core.TeraRecord;
import io.weft.core.TeraRows;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sorter under Spark's own memory manager, with memory for a few blocks only. */
class SpillingSorterTest {
    private static final long BLOCK = SpillingSorter.BLOCK;
    private static final long SCRATCH = SpillingSorter.SCRATCH;

    @TempDir
    Path folder;
    private int files;
    private long memorySpilled;
    private long diskSpilled;

    @ParameterizedTest
    @CsvSource({"0,2,0,false", "1,2,0,false", "150000,2,0,false", "300000,2,1,false", "500000,2,3,false",
        "250000,1,3,false", "300000,2,1,true"})
    void sortsWithAndWithoutSpills(int rows, int blocks, int spills, boolean equalKeys) throws IOException {
        TaskMemoryManager memory = memory(blocks * BLOCK + SCRATCH);
        SpillingSorter sorter = new SpillingSorter(memory, space());
        Sum128 sum = fill(sorter, rows, equalKeys);
        assertOrdered(sorter.sorted(), rows, sum);
        assertEquals(spills, files);
        assertEquals(spills * blocks * BLOCK, memorySpilled);
        assertEquals((long) spills * blocks * RecordBlock.ROWS * TeraRecord.LENGTH, diskSpilled);
        sorter.close();
        assertEquals(0, sorter.getUsed());
        assertEquals(0, folder.toFile().list().length, "runs are deleted");
    }

    @Test
    void anotherConsumerCanTakeTheMemory() throws IOException {
        TaskMemoryManager memory = memory(2 * BLOCK + SCRATCH);
        SpillingSorter sorter = new SpillingSorter(memory, space());
        SpillingSorter other = new SpillingSorter(memory, space());
        Sum128 sum = fill(sorter, 150_000, false);
        fill(other, 80_000, false);
        assertEquals(1, files);
        assertEquals(2 * BLOCK, memorySpilled);
        assertOrdered(sorter.sorted(), 150_000, sum);
    }

    @Test
    void tooLittleMemoryIsSaidPlainly() {
        SpillingSorter sorter = new SpillingSorter(memory(BLOCK), space());
        IOException error = assertThrows(IOException.class, () -> fill(sorter, 1, false));
        assertTrue(error.getMessage().contains("give the executor more memory"));
        sorter.close();
        assertEquals(0, sorter.getUsed());
    }

    private static TaskMemoryManager memory(long bytes) {
        // all of it for execution, none kept for storage
        return new TaskMemoryManager(new UnifiedMemoryManager(new SparkConf(false), bytes, 0, 1), 0);
    }

    private static Sum128 fill(SpillingSorter sorter, int rows, boolean equalKeys) throws IOException {
        TeraRows generator = new TeraRows(0);
        Sum128 sum = new Sum128();
        Chunk chunk = new Chunk();
        chunk.bytes = new byte[7 * TeraRecord.LENGTH];
        for (int row = 0; row < rows; row += chunk.length / TeraRecord.LENGTH) {
            chunk.length = Math.min(7, rows - row) * TeraRecord.LENGTH;
            for (int at = 0; at < chunk.length; at += TeraRecord.LENGTH) {
                generator.next(chunk.bytes, at);
                if (equalKeys) {
                    Arrays.fill(chunk.bytes, at, at + TeraRecord.KEY, (byte) 0xff);
                }
                sum.add(crc(chunk.bytes, at));
            }
            sorter.add(chunk);
        }
        return sum;
    }

    private static void assertOrdered(Merge merge, int rows, Sum128 expected) throws IOException {
        Sum128 sum = new Sum128();
        byte[] last = new byte[TeraRecord.KEY];
        // many at once: those of runs on disk, whose buffer is filled again meanwhile, between those of blocks in memory
        byte[] some = new byte[1000 * TeraRecord.LENGTH];
        int count = 0;
        for (int read = merge.read(some, 0); read > 0; read = merge.read(some, 0)) {
            for (int at = 0; at < read; at += TeraRecord.LENGTH, count++) {
                assertTrue(Arrays.compareUnsigned(last, 0, 10, some, at, at + 10) <= 0, "row " + count);
                System.arraycopy(some, at, last, 0, TeraRecord.KEY);
                sum.add(crc(some, at));
            }
        }
        assertEquals(rows, count);
        assertEquals(expected.hex(), sum.hex());
    }

    private static long crc(byte[] bytes, int at) {
        CRC32 crc = new CRC32();
        crc.update(bytes, at, TeraRecord.LENGTH);
        return crc.getValue();
    }

    private SpillSpace space() {
        return new SpillSpace() {
            @Override
            public SpillRun.Place create() {
                File file = folder.resolve("run" + files++).toFile();
                return () -> file;
            }

            @Override
            public void spilled(long memory, long disk) {
                memorySpilled += memory;
                diskSpilled += disk;
            }
        };
    }
}
