package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.apache.hadoop.examples.terasort.Oracle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TeraRowsTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 99, 65_535, 1_000_000_007L, (1L << 32) - 3, (1L << 32) + 5, (1L << 40) - 2,
            (1L << 62) - 1, TeraGen.ROWS_PER_SEED * 12345 + 678})
    void rowsAreHadoops(long first) throws Exception {
        TeraRows rows = new TeraRows(first);
        for (int i = 0; i < 300; i++) {
            byte[] row = new byte[TeraRecord.LENGTH];
            rows.next(row, 0);
            assertArrayEquals(Oracle.row(first + i), row, "row " + (first + i));
        }
    }

    @Test
    void randomOffsetsAreHadoops() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            long first = random.nextLong() >>> 1 >>> random.nextInt(62);
            byte[] row = new byte[3 + TeraRecord.LENGTH];
            new TeraRows(first).next(row, 3);
            assertArrayEquals(Oracle.row(first), java.util.Arrays.copyOfRange(row, 3, row.length), "row " + first);
        }
    }

    @Test
    void hexDigitsAreUpperCase() {
        byte[] digits = java.nio.ByteBuffer.allocate(8).putLong(TeraRows.hex(0xFA09BC7E)).array();
        assertEquals("FA09BC7E", new String(digits, java.nio.charset.StandardCharsets.US_ASCII));
    }
}
