package io.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Program;
import io.weft.core.Sum128;
import io.weft.core.TeraCountValidate;
import io.weft.core.TeraRecord;
import io.weft.core.TeraRows;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jobs in Hadoop's runner for one process, which is what a job has without a cluster's settings. */
class TeraSortTest {
    private static final int ROWS = 20_011;

    @TempDir
    Path folder;
    private String checksum;

    @BeforeEach
    void generate() throws Exception {
        Files.createDirectory(folder.resolve("in"));
        byte[] all = new byte[ROWS * TeraRecord.LENGTH];
        TeraRows rows = new TeraRows(0);
        for (int at = 0; at < all.length; at += TeraRecord.LENGTH) {
            rows.next(all, at);
        }
        checksum = sum(all);
        int cut = ROWS / 3 * TeraRecord.LENGTH;
        Files.write(folder.resolve("in/part-00000"), Arrays.copyOf(all, cut));
        Files.write(folder.resolve("in/part-00001"), Arrays.copyOfRange(all, cut, all.length));
    }

    @Test
    void theOutputIsInOrderOverAllParts() throws Exception {
        String outcome = run("TeraSort", "--input", in(), "--output", out(), "--partitions", "4", "--split-bytes", "300000",
                "--method", "raw");
        assertEquals("raw", field(outcome, "method"));
        assertEquals(String.valueOf(ROWS), field(outcome, "rows_out"));
        byte[] sorted = output();
        assertEquals(checksum, sum(sorted));
        for (int at = TeraRecord.LENGTH; at < sorted.length; at += TeraRecord.LENGTH) {
            int before = at - TeraRecord.LENGTH;
            assertTrue(Arrays.compareUnsigned(sorted, before, before + TeraRecord.KEY,
                    sorted, at, at + TeraRecord.KEY) <= 0, "row " + at / TeraRecord.LENGTH);
        }
    }

    @Test
    void everyRecordArrivesInItsRange() throws Exception {
        String answer = folder.resolve("answer").toString();
        String outcome = run("TeraCount", "--input", in(), "--partitions", "5", "--answer", answer);
        assertEquals("true", field(outcome, "valid"));
        assertEquals("", new TeraCountValidate().call("--answer", answer, "--rows", "" + ROWS, "--partitions", "5").reason());
        assertTrue(new TeraCountValidate().call("--answer", answer, "--rows", "" + ROWS, "--partitions", "5", "--seed", "1")
                .reason().startsWith("partition 0 has"));
    }

    @Test
    void anInputThatEndsWithinARecordIsRefused() throws Exception {
        try (RandomAccessFile part = new RandomAccessFile(folder.resolve("in/part-00001").toFile(), "rw")) {
            part.setLength(part.length() - 7);
        }
        String outcome = run("TeraSort", "--input", in(), "--output", out(), "--partitions", "2");
        assertTrue(outcome.contains("part-00001") && outcome.contains("no multiple of the record length"), outcome);
    }

    @Test
    void anOutputThatIsNotEmptyIsRefused() throws Exception {
        Files.createDirectories(folder.resolve("out"));
        Files.createFile(folder.resolve("out/part-r-00000"));
        String outcome = run("TeraSort", "--input", in(), "--output", out(), "--partitions", "2");
        assertTrue(outcome.contains("is not empty"), outcome);
    }

    @Test
    void hadoopsOwnSortOfFewerRecordsThanPartitionsSaysSo() throws Exception {
        String outcome = run("TeraSort", "--input", in(), "--output", out(), "--partitions", "" + (ROWS + 1));
        assertTrue(outcome.contains("submitted no job") && outcome.contains((ROWS + 1) + " partitions"), outcome);
    }

    private String in() {
        return folder.resolve("in").toString();
    }

    private String out() {
        return folder.resolve("out").toString();
    }

    private String run(String program, String... words) throws IOException {
        Path file = folder.resolve(program + ".json");
        String[] all = Arrays.copyOf(words, words.length + 2);
        all[words.length] = "--outcome";
        all[words.length + 1] = file.toString();
        Program work = program.equals("TeraSort") ? new TeraSort() : new TeraCount();
        work.execute(all);
        return Files.readString(file);
    }

    /** All parts, one behind the other. */
    private byte[] output() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int part = 0; part < 4; part++) {
            all.write(Files.readAllBytes(folder.resolve("out/part-r-0000" + part)));
        }
        return all.toByteArray();
    }

    private static String sum(byte[] rows) {
        Sum128 sum = new Sum128();
        for (int at = 0; at < rows.length; at += TeraRecord.LENGTH) {
            CRC32 crc = new CRC32();
            crc.update(rows, at, TeraRecord.LENGTH);
            sum.add(crc.getValue());
        }
        return sum.hex();
    }

    private static String field(String outcome, String key) {
        List<String> parts = List.of(outcome.split("[{},]"));
        return parts.stream().map(String::strip).filter(part -> part.startsWith("\"" + key + "\""))
                .map(part -> part.split(":")[1].replace("\"", "").strip()).findFirst().orElse("");
    }
}
