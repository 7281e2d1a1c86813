package io.weft.hadoop;

import io.weft.core.Merge;
import io.weft.core.SortedRun;
import io.weft.core.TeraRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A sorted run of records in a file: written once, then read once. */
final class SpilledRun implements SortedRun {
    private static final int BUFFER = 2_560 * TeraRecord.LENGTH;

    private final Path file;
    private long rows;
    private InputStream in;
    private byte[] buffer;
    private int at;
    private int limit;

    SpilledRun(Path file) {
        this.file = file;
    }

    /** Writes all that a merge gives. */
    void write(Merge merge) throws IOException {
        byte[] batch = new byte[BUFFER];
        int used = 0;
        try (OutputStream out = Files.newOutputStream(file)) {
            for (SortedRun run = merge.next(); run != null; run = merge.next()) {
                System.arraycopy(run.bytes(), run.offset(), batch, used, TeraRecord.LENGTH);
                used += TeraRecord.LENGTH;
                rows++;
                if (used == BUFFER) {
                    out.write(batch, 0, used);
                    used = 0;
                }
            }
            out.write(batch, 0, used);
        }
    }

    long rows() {
        return rows;
    }

    @Override
    public boolean advance() throws IOException {
        if (in == null) {
            in = Files.newInputStream(file);
            buffer = new byte[BUFFER];
        }
        at += TeraRecord.LENGTH;
        if (at >= limit) {
            limit = in.readNBytes(buffer, 0, BUFFER);
            at = 0;
            if (limit % TeraRecord.LENGTH != 0) {
                throw new IOException("The spilled run " + file + " ends within a record.");
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
    public byte[] bytes() {
        return buffer;
    }

    @Override
    public int offset() {
        return at;
    }

    void delete() throws IOException {
        if (in != null) {
            in.close();
        }
        Files.deleteIfExists(file);
    }
}
