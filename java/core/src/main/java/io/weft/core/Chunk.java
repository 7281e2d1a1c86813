package io.weft.core;

/** Some whole records in an array; the unit that crosses the shuffle. Reused: copy out before the next one. */
public final class Chunk {
    /** Holds the records, from {@link #offset} on. */
    public byte[] bytes;
    /** Where the first record begins. */
    public int offset;
    /** Bytes of the records. */
    public int length;
    /** The range that all of them belong to, where that is known. */
    public int range;
}
