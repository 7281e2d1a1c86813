package io.weft.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.ObjLongConsumer;

/** Counts byte strings in one table of open addressing; a string that is there already costs no object. */
public final class ByteCounts {
    private int[] hashes = new int[1 << 12];
    private long[] counts = new long[1 << 12];
    private byte[][] keys = new byte[1 << 12][];
    private int size;

    /** Adds a number to the count of some bytes. */
    public void add(byte[] bytes, int offset, int length, long number) {
        int hash = 1;
        for (int i = offset; i < offset + length; i++) {
            hash = 31 * hash + bytes[i];
        }
        hash ^= hash >>> 15;
        int slot = slot(hash, bytes, offset, length);
        if (keys[slot] == null) {
            keys[slot] = Arrays.copyOfRange(bytes, offset, offset + length);
            hashes[slot] = hash;
            size++;
        }
        counts[slot] += number;
        if (size > keys.length / 2) {
            grow();
        }
    }

    /** The number of different strings. */
    public int size() {
        return size;
    }

    /** Gives each string with its count, in no order, and forgets all. */
    public void drain(ObjLongConsumer<byte[]> each) {
        for (int slot = 0; slot < keys.length; slot++) {
            if (keys[slot] != null) {
                each.accept(keys[slot], counts[slot]);
                keys[slot] = null;
                counts[slot] = 0;
            }
        }
        size = 0;
    }

    /** Gives each string as text; bytes stand for the characters of ISO 8859-1. */
    public void drainText(ObjLongConsumer<String> each) {
        drain((bytes, count) -> each.accept(new String(bytes, StandardCharsets.ISO_8859_1), count));
    }

    private int slot(int hash, byte[] bytes, int offset, int length) {
        int mask = keys.length - 1;
        int slot = hash & mask;
        while (keys[slot] != null && (hashes[slot] != hash
                || !Arrays.equals(keys[slot], 0, keys[slot].length, bytes, offset, offset + length))) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        int[] oldHashes = hashes;
        long[] oldCounts = counts;
        byte[][] oldKeys = keys;
        hashes = new int[oldKeys.length * 2];
        counts = new long[oldKeys.length * 2];
        keys = new byte[oldKeys.length * 2][];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != null) {
                int slot = slot(oldHashes[i], oldKeys[i], 0, oldKeys[i].length);
                keys[slot] = oldKeys[i];
                hashes[slot] = oldHashes[i];
                counts[slot] = oldCounts[i];
            }
        }
    }
}
