package io.weft.core;

import java.io.IOException;

/**
 * Writes one part under a name of its attempt and gives it its final name when it is whole, so that a failed,
 * repeated or speculative attempt leaves nothing under a final name but a whole part.
 */
public final class PartOutput implements AutoCloseable {
    private static final int BUFFER = 10_000 * TeraRecord.LENGTH;

    private final Store store;
    private final String attempt;
    private final String target;
    private final Store.Writer out;
    private final byte[] buffer = new byte[BUFFER];
    private int used;
    private long rows;

    /** A part; the name of an attempt belongs to this attempt alone. */
    public PartOutput(Store store, String directory, int number, String attemptName) throws IOException {
        this.store = store;
        target = directory + "/" + PartFiles.name(number);
        attempt = aside(directory) + "/" + PartFiles.name(number) + "." + attemptName;
        out = store.create(attempt);
    }

    /** Where attempts are written; deleted at the end of the job. */
    public static String aside(String directory) {
        return directory + "/_temporary";
    }

    /** Throws WrongInput when the output directory holds anything. */
    public static void requireEmpty(String directory) throws IOException {
        try {
            if (!Store.of(directory).list(directory).isEmpty()) {
                throw new WrongInput("The output directory " + directory + " is not empty.");
            }
        } catch (java.nio.file.NoSuchFileException | java.io.FileNotFoundException absent) {
            // created by the first task that writes
        }
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

    /** Makes the part final and gives the number of its rows. */
    public long commit() throws IOException {
        drain();
        out.close();
        store.commit(attempt, target);
        return rows;
    }

    private void drain() throws IOException {
        out.write(buffer, used);
        used = 0;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
