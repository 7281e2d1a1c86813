package io.weft.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.BlockSorter;
import io.weft.core.Chunk;
import io.weft.core.Merge;
import io.weft.core.SpillRun;
import io.weft.core.Sum128;
import io.weft.core.TeraRecord;
import io.weft.core.TeraRows;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sorting in pages like those of managed memory, with room for a few records only. */
class PagedMemoryTest {
    private static final int PAGE = 32 << 10;

    @TempDir
    Path folder;
    private int files;

    @ParameterizedTest
    @CsvSource({"0,4,false", "1,1,false", "1000,4,false", "1309,4,false", "9000,4,false", "5000,7,true"})
    void sortsWithAndWithoutSpills(int rows, int pages, boolean equalPrefixes) throws IOException {
        byte[] input = records(rows, equalPrefixes);
        int held = pages > 1 ? pages / Math.max(1, pages / 2) * (pages / 2) * (PAGE / TeraRecord.LENGTH)
                : PAGE / TeraRecord.LENGTH;
        try (var sorter = new BlockSorter<>(new PagedMemory(PagedMemoryTest::pages, pages, PAGE), this::place)) {
            add(sorter, input);
            Merge merge = sorter.sorted();
            Sum128 sum = new Sum128();
            int count = 0;
            byte[] before = new byte[TeraRecord.KEY];
            byte[] some = new byte[150 * TeraRecord.LENGTH];
            for (int read = merge.read(some, 0); read > 0; read = merge.read(some, 0)) {
                for (int at = 0; at < read; at += TeraRecord.LENGTH, count++) {
                    assertTrue(Arrays.compareUnsigned(before, 0, 10, some, at, at + 10) <= 0);
                    System.arraycopy(some, at, before, 0, TeraRecord.KEY);
                    sum.add(crc(some, at));
                }
            }
            assertEquals(rows, count);
            assertEquals(sum(input), sum.hex());
            assertEquals(rows > held ? (rows - 1) / held : 0, files);
            assertEquals((long) files * held * TeraRecord.LENGTH, sorter.spilled());
        }
        assertEquals(0, folder.toFile().list().length, "runs are deleted");
    }

    @Test
    void aChunkIsReadAsItWasWritten() throws IOException {
        Chunk chunk = new Chunk();
        chunk.bytes = records(5, false);
        chunk.offset = 100;
        chunk.length = 300;
        chunk.range = 7;
        var out = new org.apache.flink.core.memory.DataOutputSerializer(16);
        ChunkSerializer.INSTANCE.serialize(chunk, out);
        var in = new org.apache.flink.core.memory.DataInputDeserializer(out.getCopyOfBuffer());
        for (Chunk read : List.of(ChunkSerializer.INSTANCE.deserialize(in), ChunkSerializer.INSTANCE.copy(chunk))) {
            assertEquals(7, read.range);
            assertTrue(Arrays.equals(read.bytes, read.offset, read.offset + read.length, chunk.bytes, 100, 400));
        }
        assertEquals(0, in.available());
    }

    private static List<MemorySegment> pages(int count) {
        return IntStream.range(0, count).mapToObj(i -> MemorySegmentFactory.allocateUnpooledSegment(PAGE)).toList();
    }

    /** Hands records over in chunks of 1 to 320. */
    private static void add(BlockSorter<PagedBlock> sorter, byte[] input) throws IOException {
        Chunk chunk = new Chunk();
        chunk.bytes = input;
        for (int records = 1; chunk.offset < input.length; records = records % 320 + 53) {
            chunk.length = Math.min(records * TeraRecord.LENGTH, input.length - chunk.offset);
            sorter.add(chunk.bytes, chunk.offset, chunk.length);
            chunk.offset += chunk.length;
        }
    }

    private static byte[] records(int rows, boolean equalPrefixes) {
        byte[] bytes = new byte[rows * TeraRecord.LENGTH];
        TeraRows generator = new TeraRows(0);
        for (int at = 0; at < bytes.length; at += TeraRecord.LENGTH) {
            generator.next(bytes, at);
            if (equalPrefixes) {
                Arrays.fill(bytes, at, at + 8, (byte) 0xa0);
            }
        }
        return bytes;
    }

    private static long crc(byte[] bytes, int at) {
        CRC32 crc = new CRC32();
        crc.update(bytes, at, TeraRecord.LENGTH);
        return crc.getValue();
    }

    private static String sum(byte[] input) {
        Sum128 sum = new Sum128();
        for (int at = 0; at < input.length; at += TeraRecord.LENGTH) {
            sum.add(crc(input, at));
        }
        return sum.hex();
    }

    private SpillRun.Place place() {
        File file = folder.resolve("run" + files++).toFile();
        return () -> file;
    }
}
