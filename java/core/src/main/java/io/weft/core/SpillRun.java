package io.weft.core;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** A sorted run of records in a file: written once, then read once. */
public final class SpillRun implements SortedRun {
    private static final int BUFFER = 2_560 * TeraRecord.LENGTH;

    private final Place place;
    private InputStream in;
    private byte[] buffer;
    private int at;
    private int limit;

    /** A file with the streams that write and read it. */
    @FunctionalInterface
    public interface Place {
        /** The file. */
        File file();

        /** Opens it for writing. */
        default OutputStream write() throws IOException {
            return new FileOutputStream(file());
        }

        /** Opens it for reading. */
        default InputStream read() throws IOException {
            return new FileInputStream(file());
        }
    }

    /** A run that is not written yet. */
    public SpillRun(Place place) {
        this.place = place;
    }

    /** Writes all that a merge gives. */
    public void write(Merge merge) throws IOException {
        byte[] batch = new byte[BUFFER];
        try (OutputStream out = place.write()) {
            for (int read = merge.read(batch, 0); read > 0; read = merge.read(batch, 0)) {
                out.write(batch, 0, read);
            }
        }
    }

    /** Bytes on disk. */
    public long length() {
        return place.file().length();
    }

    @Override
    public boolean advance() throws IOException {
        if (in == null) {
            in = place.read();
            buffer = new byte[BUFFER];
        }
        at += TeraRecord.LENGTH;
        if (at >= limit) {
            limit = in.readNBytes(buffer, 0, BUFFER);
            at = 0;
            if (limit % TeraRecord.LENGTH != 0) {
                throw new IOException("The spilled run " + place.file() + " ends within a record.");
            }
        }
        return limit > 0;
    }

    @Override
    public long prefix() {
        return TeraRecord.prefix(buffer, at);
    }

    @Override
    public int suffix() {
        return TeraRecord.suffix(buffer, at);
    }

    @Override
    public int place() {
        return at;
    }

    @Override
    public boolean stays() {
        return false;
    }

    @Override
    public void copy(int place, byte[] to, int at) {
        System.arraycopy(buffer, place, to, at, TeraRecord.LENGTH);
    }

    /** Closes and deletes the file. */
    public void delete() {
        try {
            if (in != null) {
                in.close();
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } finally {
            place.file().delete();
        }
    }
}
