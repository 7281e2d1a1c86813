package io.weft.core;

import java.util.zip.CRC32;

/** Hashes whose sums (modulo 2^64) stand for multisets: the order does not matter, a lost or repeated item does. */
public final class Hash64 {
    private Hash64() {
    }

    /** Mixes all bits; the finalizer of SplitMix64 (Steele, Lea, Flood 2014), as SplittableRandom has it. */
    public static long mix(long value) {
        long x = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
        return x ^ x >>> 31;
    }

    /** The hash of a key with a number. */
    public static long of(int key, long number) {
        return mix(mix(key + 0x9e3779b97f4a7c15L) + number);
    }

    /** The hash of a key with bytes. */
    public static long of(int key, byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return of(key, crc.getValue() << 32 | bytes.length);
    }
}
