package io.weft.core;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** One part of lines, final when it is committed. */
public final class LineOutput implements Closeable {
    private static final int BUFFER = 1 << 18;

    private final Attempt attempt;
    private final byte[] buffer = new byte[BUFFER];
    private int used;
    private long bytes;

    /** @param attempt a number or name that no other attempt at the same part has */
    public LineOutput(String directory, int number, Object attempt) throws IOException {
        this.attempt = new Attempt(Store.of(directory), directory, number, attempt);
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
        attempt.commit();
        return bytes;
    }

    private void drain() throws IOException {
        attempt.write(buffer, used);
        bytes += used;
        used = 0;
    }

    @Override
    public void close() throws IOException {
        attempt.close();
    }
}
