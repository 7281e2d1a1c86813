package io.weft.core;

/**
 * A block of records that is filled, then sorted, then read once. Sorting moves the keys' beginnings and
 * indexes alone.
 */
public final class RecordBlock implements BlockSorter.Block {
    /** 8 MB of records: many blocks fit a small heap, and a block's keys stay in the second-level cache. */
    public static final int ROWS = 80_000;

    private final byte[] data;
    private final KeyOrder keys;
    private final KeyOrder.Scratch scratch;
    private int at = -1;

    /** A block for a number of records, which sorts with arrays that it may share with others. */
    public RecordBlock(int capacity, KeyOrder.Scratch scratch) {
        this.scratch = scratch;
        data = new byte[capacity * TeraRecord.LENGTH];
        keys = new KeyOrder(capacity);
    }

    /** The heap a block of a number of records takes, in bytes. */
    public static long bytes(int capacity) {
        return (long) capacity * (TeraRecord.LENGTH + KeyOrder.BYTES);
    }

    @Override
    public int add(byte[] bytes, int offset, int length) {
        int used = keys.rows() * TeraRecord.LENGTH;
        int taken = Math.min(length, data.length - used);
        System.arraycopy(bytes, offset, data, used, taken);
        for (int i = offset; i < offset + taken; i += TeraRecord.LENGTH) {
            keys.add(TeraRecord.prefix(bytes, i));
        }
        return taken;
    }

    /** The number of records. */
    public int rows() {
        return keys.rows();
    }

    @Override
    public void sort() {
        keys.sort(scratch, record -> TeraRecord.prefix(data, record * TeraRecord.LENGTH), this::suffix);
        at = -1;
    }

    private int suffix(int record) {
        return TeraRecord.suffix(data, record * TeraRecord.LENGTH);
    }

    @Override
    public boolean advance() {
        return ++at < keys.rows();
    }

    @Override
    public long prefix() {
        return keys.prefix(at);
    }

    @Override
    public int suffix() {
        return suffix(keys.record(at));
    }

    @Override
    public int place() {
        return keys.record(at) * TeraRecord.LENGTH;
    }

    @Override
    public boolean stays() {
        return true;
    }

    @Override
    public void copy(int place, byte[] to, int at) {
        System.arraycopy(data, place, to, at, TeraRecord.LENGTH);
    }
}
