package io.weft.core;

import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;

/**
 * The order of some records by key. Sorting moves 12 bytes a record (8 of the key and an index), by a stable radix
 * sort over the bytes of the key that differ; it is linear for any keys.
 */
public final class KeyOrder {
    /** Heap for each key, in bytes. */
    public static final int BYTES = Long.BYTES + Integer.BYTES;
    private static final int PREFIX_BYTES = 8;

    private long[] prefixes;
    private int[] order;
    private int rows;

    /** For a number of keys. */
    public KeyOrder(int capacity) {
        prefixes = new long[capacity];
        order = new int[capacity];
    }

    /** Adds the first 8 bytes of the next record's key. */
    public void add(long prefix) {
        prefixes[rows++] = prefix;
    }

    /** The number of keys. */
    public int rows() {
        return rows;
    }

    /** Forgets all keys. */
    public void clear() {
        rows = 0;
    }

    /** The first 8 bytes of the key at a place in the order. */
    public long prefix(int place) {
        return prefixes[place];
    }

    /** The number of the record at a place in the order. */
    public int record(int place) {
        return order[place];
    }

    /** Arrays to sort with, which blocks of one capacity may share one after the other. */
    public static final class Scratch {
        private long[] prefixes;
        private int[] order;

        /** For blocks of a number of records. */
        public Scratch(int capacity) {
            prefixes = new long[capacity];
            order = new int[capacity];
        }

        /** The heap it takes, in bytes. */
        public static long bytes(int capacity) {
            return (long) capacity * (Long.BYTES + Integer.BYTES);
        }
    }

    /**
     * Puts the keys in order.
     *
     * @param prefix the first 8 bytes of a record's key, by the number it was added with
     * @param suffix the last 2 bytes
     */
    public void sort(Scratch scratch, IntToLongFunction prefix, IntUnaryOperator suffix) {
        for (int i = 0; i < rows; i++) {
            order[i] = i;
        }
        radix(scratch);
        if (tied(suffix)) {
            // rare for random keys: order by the last 2 bytes first, then again, stably, by the first 8
            for (int i = 0; i < rows; i++) {
                prefixes[i] = suffix.applyAsInt(order[i]);
            }
            radix(scratch);
            for (int i = 0; i < rows; i++) {
                prefixes[i] = prefix.applyAsLong(order[i]);
            }
            radix(scratch);
        }
    }

    private boolean tied(IntUnaryOperator suffix) {
        for (int i = 1; i < rows; i++) {
            if (prefixes[i - 1] == prefixes[i]
                    && suffix.applyAsInt(order[i - 1]) != suffix.applyAsInt(order[i])) {
                return true;
            }
        }
        return false;
    }

    /** One stable pass for each byte that differs between keys, from the last to the first. */
    private void radix(Scratch scratch) {
        long differing = 0;
        for (int i = 1; i < rows; i++) {
            differing |= prefixes[i] ^ prefixes[0];
        }
        for (int shift = 0; shift < PREFIX_BYTES * 8; shift += 8) {
            if ((differing >>> shift & 0xff) != 0) {
                pass(shift, scratch);
            }
        }
    }

    private void pass(int shift, Scratch scratch) {
        int[] next = new int[257];
        for (int i = 0; i < rows; i++) {
            next[(int) (prefixes[i] >>> shift & 0xff) + 1]++;
        }
        for (int i = 0; i < 256; i++) {
            next[i + 1] += next[i];
        }
        long[] toPrefixes = scratch.prefixes;
        int[] toOrder = scratch.order;
        for (int i = 0; i < rows; i++) {
            int to = next[(int) (prefixes[i] >>> shift & 0xff)]++;
            toPrefixes[to] = prefixes[i];
            toOrder[to] = order[i];
        }
        scratch.prefixes = prefixes;
        scratch.order = order;
        prefixes = toPrefixes;
        order = toOrder;
    }
}
