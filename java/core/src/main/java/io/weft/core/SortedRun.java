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

    /** The array that holds the current record, until the next call of {@link #advance}. */
    byte[] bytes();

    /** Where in the array the current record begins. */
    int offset();
}
