package io.weft.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The rows of Hadoop's TeraGen, byte for byte ({@code org.apache.hadoop.examples.terasort.GenSort}):
 * 10 bytes of random key; 00 11; the row number as 32 hex digits; 88 99 AA BB; the low 48 random bits as
 * 12 hex digits, each four times; CC DD EE FF.
 */
public final class TeraRows {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final long ZEROS = 0x3030303030303030L;
    /** For each byte: its two hex digits, each four times. */
    private static final long[] FILLER = filler();

    private final Lcg128 random;
    private long row;

    /** Rows from a row number on; the cost of starting does not depend on it. */
    public TeraRows(long firstRow) {
        random = Lcg128.after(firstRow);
        row = firstRow;
    }

    /** Writes the next row at an offset. */
    public void next(byte[] to, int offset) {
        random.next();
        long low = random.low;
        LONG.set(to, offset, random.high);
        LONG.set(to, offset + 8, (low & 0xffff000000000000L) | 0x0000001130303030L);
        LONG.set(to, offset + 16, ZEROS);
        INT.set(to, offset + 24, 0x30303030);
        LONG.set(to, offset + 28, hex((int) (row >>> 32)));
        LONG.set(to, offset + 36, hex((int) row));
        INT.set(to, offset + 44, 0x8899AABB);
        for (int i = 0; i < 6; i++) {
            LONG.set(to, offset + 48 + 8 * i, FILLER[(int) (low >>> (40 - 8 * i)) & 0xff]);
        }
        INT.set(to, offset + 96, 0xCCDDEEFF);
        row++;
    }

    /** Eight upper-case hex digits in ASCII, the most significant in the top byte, without a table or a branch. */
    static long hex(int value) {
        long x = value & 0xffffffffL;
        x = (x | x << 16) & 0x0000ffff0000ffffL;
        x = (x | x << 8) & 0x00ff00ff00ff00ffL;
        x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fL;
        // adding 6 carries into bit 4 exactly for the digits 10 to 15, which stand 7 places behind '9'
        long letters = ((x + 0x0606060606060606L) >>> 4) & 0x0101010101010101L;
        return x + ZEROS + letters * 7;
    }

    private static long[] filler() {
        long[] table = new long[256];
        Arrays.setAll(table, b -> {
            long digits = hex(b);
            return (digits >>> 8 & 0xff) * 0x0101010100000000L | (digits & 0xff) * 0x01010101L;
        });
        return table;
    }
}
