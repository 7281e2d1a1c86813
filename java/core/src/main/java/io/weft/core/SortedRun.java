package io.weft.core;

import java.io.IOException;

/** A cursor over records in key order. */
public interface SortedRun {
    /** Moves to the first or next record; false at the end. */
    boolean advance() throws IOException;

    /** The first 8 bytes of the current key. */
    long prefix();

    /** The last 2 bytes of the current key. */
    int suffix();

    /** Where the current record is, for {@link #copy}. */
    int place();

    /** True if records stay where they are after the next call of {@link #advance}. */
    boolean stays();

    /** Copies the record at a place to an array. */
    void copy(int place, byte[] to, int at);
}
