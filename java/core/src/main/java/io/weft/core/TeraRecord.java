package io.weft.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The layout of a TeraSort record: 10 bytes of key, 90 bytes of value; keys compare as unsigned bytes. */
public final class TeraRecord {
    /** Bytes of a record. */
    public static final int LENGTH = 100;
    /** Bytes of a key. */
    public static final int KEY = 10;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private TeraRecord() {
    }

    /** The first 8 bytes of the key at an offset; compare with {@link Long#compareUnsigned}. */
    public static long prefix(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset);
    }

    /** The last 2 bytes of the key at an offset, 0 to 65535. */
    public static int suffix(byte[] bytes, int offset) {
        return (short) SHORT.get(bytes, offset + 8) & 0xffff;
    }

    /**
     * A hash of the first 8 bytes of a key with the CRC32 of the record. CRC32 is linear: of all pairs of records whose values
     * are exchanged, one in ten thousand keeps the sum of the two CRC32, and none in 2^64 keeps that of these hashes.
     */
    public static long hash(long prefix, long crc) {
        return Hash64.mix(Hash64.mix(prefix) + crc);
    }

    /** Compares two keys given as prefix and suffix. */
    public static int compare(long prefixA, int suffixA, long prefixB, int suffixB) {
        return prefixA == prefixB ? suffixA - suffixB : Long.compareUnsigned(prefixA, prefixB);
    }
}
