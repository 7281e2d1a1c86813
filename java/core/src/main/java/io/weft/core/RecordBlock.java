package io.weft.core;

/**
 * A block of records that is filled, then sorted, then read once. Sorting moves 12 bytes a record (8 of the key
 * and an index), by a stable radix sort over the bytes of the key that differ; it is linear for any keys.
 */
public final class RecordBlock implements SortedRun {
    private static final int PREFIX_BYTES = 8;

    private final byte[] data;
    private long[] prefixes;
    private int[] order;
    private int rows;
    private int at = -1;

    /** A block for a number of records. */
    public RecordBlock(int capacity) {
        data = new byte[capacity * TeraRecord.LENGTH];
        prefixes = new long[capacity];
        order = new int[capacity];
    }

    /** The heap a block of a number of records takes, in bytes. */
    public static long bytes(int capacity) {
        return (long) capacity * (TeraRecord.LENGTH + Long.BYTES + Integer.BYTES);
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

    /** Copies in as many whole records as fit and gives the number of bytes taken. */
    public int add(byte[] bytes, int offset, int length) {
        int taken = Math.min(length, data.length - rows * TeraRecord.LENGTH);
        System.arraycopy(bytes, offset, data, rows * TeraRecord.LENGTH, taken);
        for (int i = offset; i < offset + taken; i += TeraRecord.LENGTH) {
            prefixes[rows++] = TeraRecord.prefix(bytes, i);
        }
        return taken;
    }

    /** The number of records. */
    public int rows() {
        return rows;
    }

    /** Puts the records in order; then {@link #advance} gives the first. */
    public void sort(Scratch scratch) {
        for (int i = 0; i < rows; i++) {
            order[i] = i;
        }
        radix(scratch, false);
        if (tied()) {
            // rare for random keys: order by the last 2 bytes first, then again, stably, by the first 8
            radix(scratch, true);
            for (int i = 0; i < rows; i++) {
                prefixes[i] = TeraRecord.prefix(data, order[i] * TeraRecord.LENGTH);
            }
            radix(scratch, false);
        }
        at = -1;
    }

    private boolean tied() {
        for (int i = 1; i < rows; i++) {
            if (prefixes[i - 1] == prefixes[i]
                    && suffix(order[i - 1]) != suffix(order[i])) {
                return true;
            }
        }
        return false;
    }

    /** One stable pass for each byte that differs between keys, from the last to the first. */
    private void radix(Scratch scratch, boolean suffixes) {
        if (suffixes) {
            for (int i = 0; i < rows; i++) {
                prefixes[i] = suffix(order[i]);
            }
        }
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

    private int suffix(int record) {
        return TeraRecord.suffix(data, record * TeraRecord.LENGTH);
    }

    @Override
    public boolean advance() {
        return ++at < rows;
    }

    @Override
    public long prefix() {
        return prefixes[at];
    }

    @Override
    public int suffix() {
        return suffix(order[at]);
    }

    @Override
    public byte[] bytes() {
        return data;
    }

    @Override
    public int offset() {
        return order[at] * TeraRecord.LENGTH;
    }
}
