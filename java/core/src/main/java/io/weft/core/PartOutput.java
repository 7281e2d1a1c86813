package io.weft.core;

import java.io.IOException;

/** One part of records, final when it is committed. */
public final class PartOutput implements AutoCloseable {
    private static final int BUFFER = 10_000 * TeraRecord.LENGTH;

    private final Attempt attempt;
    private final byte[] buffer = new byte[BUFFER];
    private int used;
    private long rows;

    /** A part; the name of an attempt belongs to this attempt alone. */
    public PartOutput(Store store, String directory, int number, String attemptName) throws IOException {
        attempt = new Attempt(store, directory, number, attemptName);
    }

    /** Appends one record. */
    public void add(byte[] bytes, int offset) throws IOException {
        System.arraycopy(bytes, offset, buffer, used, TeraRecord.LENGTH);
        used += TeraRecord.LENGTH;
        rows++;
        if (used == BUFFER) {
            drain();
        }
    }

    /** Appends all that a merge gives. */
    public void add(Merge merge) throws IOException {
        for (int read = merge.read(buffer, used); read > 0; read = merge.read(buffer, used)) {
            used += read;
            rows += read / TeraRecord.LENGTH;
            if (used == BUFFER) {
                drain();
            }
        }
    }

    /** Makes the part final and gives the number of its rows. */
    public long commit() throws IOException {
        drain();
        attempt.commit();
        return rows;
    }

    private void drain() throws IOException {
        attempt.write(buffer, used);
        used = 0;
    }

    @Override
    public void close() throws IOException {
        attempt.close();
    }
}
