package io.weft.spark;

import io.weft.core.Merge;
import io.weft.core.SortedRun;
import io.weft.core.TeraRecord;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;

/** A sorted run of records in a file of the executor's local directories. */
final class SpillRun implements SortedRun {
    private static final int BUFFER = 2_560 * TeraRecord.LENGTH;

    private final BlockId block;
    private final File file;
    private InputStream in;
    private byte[] buffer;
    private int at;
    private int limit;

    SpillRun(BlockId block, File file) {
        this.block = block;
        this.file = file;
    }

    /** Writes all that a merge gives. */
    static void write(BlockId block, File file, Merge merge) throws IOException {
        byte[] buffer = new byte[BUFFER];
        int used = 0;
        OutputStream plain = new FileOutputStream(file);
        try (OutputStream out = SparkEnv.get().serializerManager().wrapStream(block, plain)) {
            for (SortedRun run = merge.next(); run != null; run = merge.next()) {
                System.arraycopy(run.bytes(), run.offset(), buffer, used, TeraRecord.LENGTH);
                used += TeraRecord.LENGTH;
                if (used == BUFFER) {
                    out.write(buffer, 0, used);
                    used = 0;
                }
            }
            out.write(buffer, 0, used);
        }
    }

    @Override
    public boolean advance() throws IOException {
        if (in == null) {
            in = SparkEnv.get().serializerManager().wrapStream(block, new FileInputStream(file));
            buffer = new byte[BUFFER];
        }
        at += TeraRecord.LENGTH;
        if (at >= limit) {
            limit = in.readNBytes(buffer, 0, BUFFER);
            at = 0;
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

    void delete() {
        try {
            if (in != null) {
                in.close();
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } finally {
            file.delete();
        }
    }
}
