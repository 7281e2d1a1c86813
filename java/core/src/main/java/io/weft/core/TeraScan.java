package io.weft.core;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** What one pass over one part file finds: rows, CRC32 sum, order, equal neighbours, first and last key. */
final class TeraScan {
    private static final int BATCH = 10_000 * TeraRecord.LENGTH;

    final Path file;
    final Sum128 sum = new Sum128();
    /** Rows whose key equals the key before them. */
    long duplicates;
    long rows;
    /** The first row whose key is less than the one before it, or -1. */
    long misordered = -1;
    long firstPrefix;
    int firstSuffix;
    long lastPrefix;
    int lastSuffix;

    private TeraScan(Path file) {
        this.file = file;
    }

    /**
     * Reads a file to its end.
     *
     * @throws WrongInput when its length is no multiple of the record length
     */
    static TeraScan of(Path file, Progress progress) throws IOException {
        TeraScan scan = new TeraScan(file);
        byte[] bytes = new byte[BATCH];
        ByteBuffer direct = ByteBuffer.allocateDirect(BATCH);
        try (FileChannel channel = FileChannel.open(file)) {
            long size = channel.size();
            if (size % TeraRecord.LENGTH != 0) {
                throw new WrongInput("The file " + file + " has " + size
                        + " bytes, which is no multiple of the record length 100.");
            }
            for (long done = 0; done < size; done += direct.limit()) {
                int length = read(channel, direct, size - done);
                direct.get(0, bytes, 0, length);
                scan.batch(bytes, length);
                progress.add(length);
            }
        }
        return scan;
    }

    private static int read(FileChannel channel, ByteBuffer direct, long rest) throws IOException {
        direct.clear().limit((int) Math.min(BATCH, rest));
        while (direct.hasRemaining()) {
            if (channel.read(direct) < 0) {
                throw new IOException("A file became shorter while it was read.");
            }
        }
        return direct.limit();
    }

    private void batch(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        for (int at = 0; at < length; at += TeraRecord.LENGTH) {
            crc.reset();
            crc.update(bytes, at, TeraRecord.LENGTH);
            sum.add(crc.getValue());
            key(TeraRecord.prefix(bytes, at), TeraRecord.suffix(bytes, at));
        }
    }

    private void key(long prefix, int suffix) {
        if (rows == 0) {
            firstPrefix = prefix;
            firstSuffix = suffix;
        } else {
            int step = TeraRecord.compare(lastPrefix, lastSuffix, prefix, suffix);
            if (step == 0) {
                duplicates++;
            } else if (step > 0 && misordered < 0) {
                misordered = rows;
            }
        }
        lastPrefix = prefix;
        lastSuffix = suffix;
        rows++;
    }
}
