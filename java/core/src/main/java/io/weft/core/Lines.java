package io.weft.core;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The lines of a file, or those that begin in a stretch of it, one after another in an array that is used again. */
public final class Lines implements Closeable {
    private static final int BUFFER = 1 << 18;

    private final Store.Input file;
    private final Store.Reader in;
    private final long end;
    /** Where the array begins in the file. */
    private long position;
    private int limit;

    /** Holds the current line, from {@link #offset} on, until the next call of {@link #next}. */
    public byte[] bytes;
    public int offset;
    public int length = -1;

    /** All lines of a file. */
    public Lines(Store.Input file) throws IOException {
        this(file, 0, file.length());
    }

    /** The lines whose first byte is in [from, end), so that splits that meet share no line and leave none out. */
    public Lines(Store.Input file, long from, long end) throws IOException {
        this(file, from, end, BUFFER);
    }

    /** As above, with a buffer of some bytes. */
    Lines(Store.Input file, long from, long end, int buffer) throws IOException {
        this.file = file;
        bytes = new byte[buffer];
        this.end = end;
        in = Store.of(file.name()).open(file.name());
        // the byte before shows whether a line begins here
        position = Math.max(0, from - 1);
        try {
            if (from > 0 && !advance()) {
                length = -1;
            }
        } catch (IOException error) {
            in.close(); // nobody else has it yet
            throw error;
        }
    }

    /**
     * Moves to the first or next line; false at the end.
     *
     * @throws WrongInput when the last line has no end
     */
    public boolean next() throws IOException {
        return position + offset + length + 1 < end && advance();
    }

    private boolean advance() throws IOException {
        int begin = offset + length + 1;
        for (int at = begin;; at++) {
            if (at == limit) {
                at -= begin;
                if (!refill(begin)) {
                    return false;
                }
                begin = 0;
            }
            if (bytes[at] == '\n') {
                offset = begin;
                length = at - begin;
                return true;
            }
        }
    }

    /** Moves what is left to the front and reads behind it. */
    private boolean refill(int begin) throws IOException {
        int rest = limit - begin;
        if (rest > bytes.length / 2) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
        }
        System.arraycopy(bytes, begin, bytes, 0, rest);
        position += begin;
        offset = 0;
        length = -1;
        limit = rest;
        int more = (int) Math.min(bytes.length - rest, file.length() - position - rest);
        if (more == 0 && rest > 0) {
            throw new WrongInput("The file " + file.name() + " ends within a line.");
        }
        read(position + rest, rest, more);
        limit += more;
        return more > 0;
    }

    private void read(long from, int to, int count) throws IOException {
        if (to == 0) {
            in.read(from, bytes, count);
        } else {
            byte[] more = new byte[count];
            in.read(from, more, count);
            System.arraycopy(more, 0, bytes, to, count);
        }
    }

    /** The current line; bytes stand for the characters of ISO 8859-1. */
    public String text() {
        return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
