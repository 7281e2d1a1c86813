package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Answer;
import io.weft.core.Chunk;
import io.weft.core.KeySample;
import io.weft.core.RangeTable;
import io.weft.core.Scatter;
import io.weft.core.Splits;
import io.weft.core.Store;
import io.weft.core.TeraCountValidate;
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
import java.util.function.IntUnaryOperator;
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
        assertEquals("", arrived(splits, range -> range, table(splits, ranges), ranges));
    }

    @Test
    void wrongShufflesAreSeen() throws Exception {
        Splits splits = input(ROWS, 300_000);
        RangeTable table = table(splits, 7);
        String moved = arrived(splits, range -> (range + 1) % 7, table, 7);
        assertTrue(moved.startsWith("partition 0 has keys up to"), moved);
        Splits fewer = new Splits(splits.splits.get(0).name(), 300_000);
        fewer.splits.remove(1);
        String lost = arrived(fewer, range -> range, table, 7);
        assertTrue(lost.startsWith("row count is 17011, expected 20011"), lost);
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

    /** Scatters all splits, joins each range's bytes, counts them where they are delivered, and says what is wrong. */
    private String arrived(Splits splits, IntUnaryOperator delivered, RangeTable table, int ranges) throws Exception {
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
        Answer answer = new Answer();
        for (int range = 0; range < ranges; range++) {
            TeraTally tally = new TeraTally(delivered.applyAsInt(range));
            var chunks = serializer.deserializeStream(new ByteArrayInputStream(blocks[range].toByteArray()))
                    .asKeyValueIterator();
            while (chunks.hasNext()) {
                tally.count((Chunk) chunks.next()._2());
            }
            tally.put(answer);
        }
        answer.write(folder.resolve("answer"));
        return new TeraCountValidate().call("--answer", folder.resolve("answer").toString(), "--rows", "" + ROWS,
                "--partitions", "" + ranges).reason();
    }
}
