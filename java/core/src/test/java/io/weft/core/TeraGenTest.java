package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TeraGenTest {
    private static final String ROWS = "10007";

    @TempDir
    Path folder;

    @Test
    void bytesDoNotDependOnParallelism() throws Exception {
        String one = generate("one", "--parts", "1", "--threads", "1");
        String many = generate("many", "--parts", "13", "--threads", "4");
        assertEquals(one, many);
        assertArrayEquals(bytes("one"), bytes("many"));
    }

    @Test
    void sumsOfPartRangesAddUp() throws Exception {
        String whole = generate("whole", "--parts", "7");
        java.math.BigInteger sum = new java.math.BigInteger(generate("split", "--parts", "7", "--part-to", "3"), 16)
                .add(new java.math.BigInteger(generate("split", "--parts", "7", "--part-from", "3"), 16));
        assertEquals(whole, sum.toString(16));
        assertArrayEquals(bytes("whole"), bytes("split"));
    }

    @Test
    void aSeedIsAPlaceInTheSameSequence() throws Exception {
        generate("seeded", "--parts", "1", "--seed", "5");
        byte[] row = new byte[TeraRecord.LENGTH];
        new TeraRows(5 * TeraGen.ROWS_PER_SEED).next(row, 0);
        assertArrayEquals(row, java.util.Arrays.copyOf(bytes("seeded"), TeraRecord.LENGTH));
    }

    @Test
    void everyRowHasOnePart() {
        for (int part = 0; part < 13; part++) {
            assertTrue(PartRange.start(10, 13, part) <= PartRange.start(10, 13, part + 1));
        }
        assertEquals(0, PartRange.start(10, 13, 0));
        assertEquals(10, PartRange.start(10, 13, 13));
        assertEquals(TeraGen.ROWS_PER_SEED, PartRange.start(TeraGen.ROWS_PER_SEED, 1_000_000, 1_000_000));
    }

    @Test
    void partsHaveAsciiDigitsInEveryLanguage() {
        Locale usual = Locale.getDefault(Locale.Category.FORMAT);
        Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            assertEquals("part-00012", PartFiles.name(12));
        } finally {
            Locale.setDefault(Locale.Category.FORMAT, usual);
        }
    }

    private String generate(String name, String... more) throws Exception {
        String[] args = new String[more.length + 4];
        args[0] = "--rows";
        args[1] = ROWS;
        args[2] = "--output";
        args[3] = folder.resolve(name).toString();
        System.arraycopy(more, 0, args, 4, more.length);
        return new TeraGen().call(args).get("checksum").toString();
    }

    private byte[] bytes(String name) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Store.Input part : PartFiles.in(folder.resolve(name).toString()).values()) {
            all.write(Files.readAllBytes(Path.of(part.name())));
        }
        return all.toByteArray();
    }
}
