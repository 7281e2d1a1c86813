package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Chunk;
import io.weft.core.KeySample;
import io.weft.core.Outcome;
import io.weft.core.RangeTable;
import io.weft.core.Scatter;
import io.weft.core.Splits;
import io.weft.core.Store;
import io.weft.core.Sum128;
import io.weft.core.TeraRecord;
import io.weft.core.TeraRows;
import io.weft.core.TeraTally;
import io.weft.core.WrongInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The way of a record from a split through scatter, serializer and count, without a cluster. */
class ShuffleTest {
    private static final int ROWS = 20_011;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 50, 100_000})
    void everyRecordArrivesInItsRange(int ranges) throws Exception {
        Splits splits = input(ROWS, 300_000);
        RangeTable table = table(splits, ranges);
        TeraTally total = deliver(splits, table, ranges, 0);
        Outcome outcome = new Outcome();
        total.check(ROWS, checksum(), outcome);
        assertTrue(outcome.valid(), outcome.reason());
    }

    @Test
    void wrongShufflesAreSeen() throws Exception {
        Splits splits = input(ROWS, 300_000);
        RangeTable table = table(splits, 7);
        Outcome moved = new Outcome();
        deliver(splits, table, 7, 1).check(ROWS, checksum(), moved);
        assertFalse(moved.valid());
        assertTrue(moved.reason().startsWith("number of records in a wrong partition"), moved.reason());
        Splits fewer = new Splits(splits.splits.get(0).name(), 300_000);
        fewer.splits.remove(1);
        Outcome lost = new Outcome();
        deliver(fewer, table, 7, 0).check(ROWS, checksum(), lost);
        assertTrue(lost.reason().startsWith("row count is 17011, expected 20011; checksum"), lost.reason());
    }

    @Test
    void samplesStayWithinTheInput() throws Exception {
        for (int rows : new int[] {1, 2, 39, 41, 1000}) {
            Splits splits = input(rows, 1 << 20);
            for (int blocks : new int[] {1, 2, 50, 3000}) {
                long[] keys = KeySample.ofBlocks(splits.store, splits.splits.get(0), blocks);
                assertTrue(keys.length >= blocks, rows + " rows, " + blocks + " blocks");
            }
        }
    }

    @Test
    void aPartOfARecordIsRefused() throws IOException {
        Path file = Files.write(folder.resolve("part-00000"), new byte[250]);
        WrongInput error = assertThrows(WrongInput.class, () -> new Splits(folder.toString(), 1000));
        assertEquals("The input file " + file + " has 250 bytes, which is no multiple of the record length 100.",
                error.getMessage());
        assertThrows(WrongInput.class, () -> new Splits(folder.resolve("absent").toString(), 1000));
        ChunkReader reader = new ChunkReader(new ByteArrayInputStream(new byte[250]));
        assertThrows(java.io.UncheckedIOException.class, reader::hasNext);
    }

    @Test
    void filesAndUrisNameTheSameInput() throws IOException {
        Files.write(folder.resolve("part-00000"), new byte[200]);
        Files.createFile(folder.resolve("_SUCCESS"));
        assertEquals(2, new Splits(folder.toUri().toString(), 100).rows());
        assertEquals(2, new Splits(folder.resolve("part-00000").toString(), 100).splits.size());
        assertTrue(Store.of("hdfs://host/path") instanceof HadoopStore);
    }

    private Splits input(int rows, long splitBytes) throws IOException {
        byte[] bytes = new byte[rows * TeraRecord.LENGTH];
        TeraRows generator = new TeraRows(0);
        for (int at = 0; at < bytes.length; at += TeraRecord.LENGTH) {
            generator.next(bytes, at);
        }
        Path file = Files.write(folder.resolve("part-00000"), bytes);
        return new Splits(file.toString(), splitBytes);
    }

    private static RangeTable table(Splits splits, int ranges) throws IOException {
        return RangeTable.of(KeySample.ofBlocks(splits.store, splits.splits.get(0), 50), ranges);
    }

    private String checksum() {
        TeraRows generator = new TeraRows(0);
        Sum128 sum = new Sum128();
        byte[] row = new byte[TeraRecord.LENGTH];
        for (int i = 0; i < ROWS; i++) {
            generator.next(row, 0);
            CRC32 crc = new CRC32();
            crc.update(row);
            sum.add(crc.getValue());
        }
        return sum.hex();
    }

    /** Scatters all splits, joins each range's bytes, and counts them in the range a number of places further. */
    private static TeraTally deliver(Splits splits, RangeTable table, int ranges, int shift)
            throws IOException {
        SerializerInstance serializer = new ChunkSerializer().newInstance();
        ByteArrayOutputStream[] blocks = new ByteArrayOutputStream[ranges];
        Arrays.setAll(blocks, i -> new ByteArrayOutputStream());
        for (Splits.Split split : splits.splits) {
            Scatter scatter = new Scatter(splits.store, split, table, ranges);
            for (Chunk chunk = scatter.next(); chunk != null; chunk = scatter.next()) {
                SerializationStream out = serializer.serializeStream(blocks[chunk.range]);
                out.writeKey(chunk.range, ScatterRdd.INTEGER);
                out.writeValue(chunk, ScatterRdd.CHUNK);
                out.flush();
            }
            scatter.close();
        }
        TeraTally total = new TeraTally();
        for (int range = 0; range < ranges; range++) {
            TeraTally tally = new TeraTally();
            var chunks = serializer.deserializeStream(new ByteArrayInputStream(blocks[range].toByteArray()))
                    .asKeyValueIterator();
            while (chunks.hasNext()) {
                tally.count((Chunk) chunks.next()._2(), table, (range + shift) % ranges, true);
            }
            total.add(tally);
        }
        return total;
    }
}
