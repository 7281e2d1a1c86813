package io.weft.core;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Writes one part of lines under a name of its attempt and gives it its final name when it is whole, so that a failed
 * or repeated attempt leaves nothing under a final name but a whole part.
 */
public final class LineOutput implements Closeable {
    private static final int BUFFER = 1 << 18;

    private final Store store;
    private final String attempt;
    private final String target;
    private final Store.Writer out;
    private final byte[] buffer = new byte[BUFFER];
    private int used;
    private long bytes;

    /** @param attempt a number or name that no other attempt at the same part has */
    public LineOutput(String directory, int number, Object attempt) throws IOException {
        store = Store.of(directory);
        target = directory + "/" + PartFiles.name(number);
        this.attempt = aside(directory) + "/" + PartFiles.name(number) + "." + attempt;
        out = store.create(this.attempt);
    }

    /** Where attempts are written; to be deleted at the end of the job. */
    public static String aside(String directory) {
        return directory + "/_temporary";
    }

    /** @throws WrongInput when there is a file in an output directory already */
    public static void requireEmpty(String directory) throws IOException {
        try {
            if (!Store.of(directory).list(directory).isEmpty()) {
                throw new WrongInput("The output directory " + directory + " is not empty.");
            }
        } catch (java.nio.file.NoSuchFileException | java.io.FileNotFoundException absent) {
            // created by the first task that writes
        }
    }

    /** Appends a line; bytes stand for the characters of ISO 8859-1. */
    public void add(String line) throws IOException {
        byte[] text = line.getBytes(StandardCharsets.ISO_8859_1);
        add(text, 0, text.length);
    }

    /** Appends a line, given without its end. */
    public void add(byte[] line, int offset, int length) throws IOException {
        append(line, offset, length);
        if (used == BUFFER) {
            drain();
        }
        buffer[used++] = '\n';
    }

    private void append(byte[] line, int offset, int length) throws IOException {
        for (int done = 0; done < length;) {
            if (used == BUFFER) {
                drain();
            }
            int piece = Math.min(length - done, BUFFER - used);
            System.arraycopy(line, offset + done, buffer, used, piece);
            used += piece;
            done += piece;
        }
    }

    /** Makes the part final and gives the number of its bytes. */
    public long commit() throws IOException {
        drain();
        out.close();
        store.commit(attempt, target);
        return bytes;
    }

    private void drain() throws IOException {
        out.write(buffer, used);
        bytes += used;
        used = 0;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
