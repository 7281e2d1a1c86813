package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TeraValidateTest {
    private static final int ROWS = 1200;
    private static final int PARTS = 12;

    @TempDir
    static Path folder;
    private static Path sorted;
    private static TeraValidate.Expected expected;

    @BeforeAll
    static void sort() throws Exception {
        byte[][] rows = new byte[ROWS][TeraRecord.LENGTH];
        TeraRows generator = new TeraRows(0);
        for (byte[] row : rows) {
            generator.next(row, 0);
        }
        Arrays.sort(rows, Comparator.comparing(row -> Arrays.copyOf(row, 10), Arrays::compareUnsigned));
        sorted = folder.resolve("sorted");
        Files.createDirectory(sorted);
        for (int part = 0; part < PARTS; part++) {
            byte[][] own = Arrays.copyOfRange(rows, part * ROWS / PARTS, (part + 1) * ROWS / PARTS);
            write(sorted.resolve(PartFiles.name(part)), own);
        }
        RecordSum sum = TeraGen.write(folder.resolve("unsorted").toString(), 0, ROWS, new Progress(ROWS));
        expected = new TeraValidate.Expected(ROWS, sum.checksum(), sum.hash());
    }

    @Test
    void acceptsARightOutput() throws Exception {
        Outcome outcome = validate(sorted, "key");
        assertTrue(outcome.valid(), outcome.reason());
        assertEquals((long) ROWS, outcome.get("rows"));
        assertEquals(0L, outcome.get("duplicate_keys"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "LOSE|row count is 1199, expected 1200; checksum",
        "REPEAT|row count is 1201, expected 1200; checksum",
        "LOSE_AND_REPEAT|checksum",
        "SWAP|order is broken in FOLDER/part-00000 at row 1",
        "TRUNCATE|The file FOLDER/part-00000 has 9993 bytes",
        "FLIP|checksum",
        "CROSS|checksum",
        "MISORDER|order is broken between FOLDER/part-00000 and FOLDER/part-00001",
        "DROP|part 0 is missing in FOLDER; row count is 1100",
        "EXCHANGE|order is broken between FOLDER/part-00002 and FOLDER/part-00003"})
    void rejectsAWrongOutputByName(Mutant mutant, String reason) throws Exception {
        Path wrong = folder.resolve(mutant.word());
        mutant.apply(sorted, wrong);
        Outcome outcome = validate(wrong, "key");
        assertFalse(outcome.valid());
        assertTrue(outcome.reason().startsWith(reason.replace("FOLDER", wrong.toString())), outcome.reason());
    }

    @ParameterizedTest
    @EnumSource(value = Mutant.class, mode = EnumSource.Mode.EXCLUDE, names = {"SWAP", "MISORDER", "EXCHANGE"})
    void everyOtherFaultIsFoundWithoutTheOrderToo(Mutant mutant) throws Exception {
        Path wrong = folder.resolve("unordered-" + mutant.word());
        mutant.apply(sorted, wrong);
        assertFalse(validate(wrong, "none").valid());
    }

    @ParameterizedTest
    @EnumSource(value = Mutant.class, names = {"SWAP", "MISORDER", "EXCHANGE"})
    void orderCanBeLeftOut(Mutant mutant) throws Exception {
        Path wrong = folder.resolve("none-" + mutant.word());
        mutant.apply(sorted, wrong);
        assertTrue(validate(wrong, "none").valid());
    }

    @Test
    void valuesSwappedBetweenRecordsAreFoundAlsoWhereTheirCrc32KeepTheirSum() {
        int pairs = 40_000;
        TeraRows generator = new TeraRows(0);
        byte[] two = new byte[2 * TeraRecord.LENGTH];
        byte[] other = two.clone();
        int kept = 0;
        for (int pair = 0; pair < pairs; pair++) {
            generator.next(two, 0);
            generator.next(two, TeraRecord.LENGTH);
            System.arraycopy(two, 0, other, TeraRecord.LENGTH, TeraRecord.LENGTH);
            System.arraycopy(two, TeraRecord.LENGTH, other, 0, TeraRecord.LENGTH);
            System.arraycopy(two, 0, other, 0, TeraRecord.KEY);
            System.arraycopy(two, TeraRecord.LENGTH, other, TeraRecord.LENGTH, TeraRecord.KEY);
            kept += sum(two).checksum().equals(sum(other).checksum()) ? 1 : 0;
            assertNotEquals(sum(two).hash(), sum(other).hash());
        }
        assertTrue(kept > 0 && kept < pairs / 1000, kept + " of " + pairs + " pairs keep the sum of their CRC32");
    }

    private static RecordSum sum(byte[] two) {
        RecordSum sum = new RecordSum();
        sum.add(two, 0);
        sum.add(two, TeraRecord.LENGTH);
        return sum;
    }

    @Test
    void partsFollowTheirNumbersNotTheirNames() throws Exception {
        Path plain = folder.resolve("plain");
        Files.createDirectory(plain);
        for (int part : IntStream.range(0, PARTS).toArray()) {
            Files.copy(sorted.resolve(PartFiles.name(part)), plain.resolve("part-r-" + part));
        }
        Files.createFile(plain.resolve("_SUCCESS"));
        assertTrue(validate(plain, "key").valid());
        Files.createFile(plain.resolve("part-r-07"));
        assertTrue(validate(plain, "key").reason().contains("same part number"));
    }

    @Test
    void countsDuplicatesAlsoAcrossParts() throws Exception {
        Path same = folder.resolve("same");
        Files.createDirectory(same);
        byte[] row = new byte[TeraRecord.LENGTH];
        write(same.resolve("part-0"), row, row, row);
        Files.createFile(same.resolve("part-1"));
        write(same.resolve("part-2"), row);
        assertEquals(3L, validate(same, "key").get("duplicate_keys"));
    }

    @Test
    void keysCompareAsUnsignedBytesToTheTenth() throws Exception {
        Path last = folder.resolve("last");
        Files.createDirectory(last);
        byte[] low = new byte[TeraRecord.LENGTH];
        byte[] high = new byte[TeraRecord.LENGTH];
        low[0] = 0x7f;
        high[0] = (byte) 0x80;
        write(last.resolve("part-0"), low, high);
        high[9] = 1;
        byte[] before = high.clone();
        before[9] = 0;
        write(last.resolve("part-1"), high, before);
        assertTrue(validate(last, "key").reason().contains("part-1 at row 1"));
    }

    @Test
    void strangersAndEmptinessAreNamed() throws Exception {
        Path strange = Files.createDirectory(folder.resolve("strange"));
        assertTrue(validate(strange, "key").reason().contains("holds no part file"));
        Files.createFile(strange.resolve("data.txt"));
        assertTrue(validate(strange, "key").reason().contains("data.txt is no part file"));
        assertTrue(validate(folder.resolve("absent"), "key").reason().contains("absent does not exist"));
    }

    private static Outcome validate(Path input, String order) throws Exception {
        Outcome outcome = new Outcome();
        try {
            TeraValidate.validate(input.toString(), expected, order.equals("key"), 2, outcome);
        } catch (WrongInput error) {
            outcome.problem(error.getMessage());
        }
        return outcome;
    }

    private static void write(Path file, byte[]... rows) throws Exception {
        byte[] all = new byte[rows.length * TeraRecord.LENGTH];
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(rows[i], 0, all, i * TeraRecord.LENGTH, TeraRecord.LENGTH);
        }
        Files.write(file, all);
    }
}
