package io.weft.core;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.zip.CRC32;

/**
 * A file whose every 8 bytes are known from their offset and a seed, so that what is read can be proved right.
 *
 * @param path the file
 * @param bytes its length, a multiple of 8
 * @param seed what its content depends on
 */
record KnownFile(Path path, long bytes, long seed) {
    private static final int BLOCK = 1 << 20;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Makes the file; its length is rounded up to whole blocks of 1 MiB. */
    static Path write(Path path, long bytes, long seed) throws IOException {
        Files.createDirectories(path.getParent());
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
        try (FileChannel out = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < bytes; at += BLOCK) {
                block.clear();
                for (int i = 0; i < BLOCK; i += Long.BYTES) {
                    block.putLong(i, word(seed, at + i));
                }
                while (block.hasRemaining()) {
                    out.write(block);
                }
            }
        }
        return path;
    }

    /** Offsets, multiples of 8, at which whole reads of a size fit. */
    long[] offsets(Random random, int count, int size) {
        long places = (bytes - size) / Long.BYTES + 1;
        return random.longs(count, 0, places).map(place -> place * Long.BYTES).toArray();
    }

    /** What some reads took and gave. */
    record Reading(double seconds, long crc) {
    }

    /** Opens the file once and reads at all offsets; what is read is summed up outside of the time. */
    Reading readWithOneOpen(long[] offsets, ByteBuffer buffer) throws IOException {
        CRC32 crc = new CRC32();
        long began = System.nanoTime();
        long aside = 0;
        try (FileChannel in = FileChannel.open(path)) {
            for (long offset : offsets) {
                read(in, offset, buffer);
                aside += sum(buffer, crc);
            }
        }
        return new Reading((System.nanoTime() - began - aside) / 1e9, crc.getValue());
    }

    /** Opens, reads once and closes at each offset. */
    Reading readWithOpens(long[] offsets, ByteBuffer buffer) throws IOException {
        CRC32 crc = new CRC32();
        long began = System.nanoTime();
        long aside = 0;
        for (long offset : offsets) {
            try (FileChannel in = FileChannel.open(path)) {
                read(in, offset, buffer);
            }
            aside += sum(buffer, crc);
        }
        return new Reading((System.nanoTime() - began - aside) / 1e9, crc.getValue());
    }

    /** The CRC32 of whole reads of a size at offsets, from the seed alone. */
    long crc(long[] offsets, int size) {
        CRC32 crc = new CRC32();
        byte[] content = new byte[(size + Long.BYTES - 1) / Long.BYTES * Long.BYTES];
        for (long offset : offsets) {
            fill(content, content.length, seed, offset);
            crc.update(content, 0, size);
        }
        return crc.getValue();
    }

    /** Adds a buffer to a sum; gives the nanoseconds that it took. */
    private static long sum(ByteBuffer buffer, CRC32 crc) {
        long began = System.nanoTime();
        crc.update(buffer.flip());
        return System.nanoTime() - began;
    }

    private void read(FileChannel in, long offset, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (in.read(buffer, offset + buffer.position()) < 0) {
                throw new WrongInput(path + " ends at " + in.size() + ", before " + (offset + buffer.capacity()) + ".");
            }
        }
    }

    /** Fills a number of bytes, a multiple of 8, with the content at an offset. */
    static void fill(byte[] content, int length, long seed, long offset) {
        for (int i = 0; i < length; i += Long.BYTES) {
            LONG.set(content, i, word(seed, offset + i));
        }
    }

    /** The mixing function of SplitMix64 (Steele, Lea, Flood 2014) over offset and seed. */
    static long word(long seed, long offset) {
        long z = offset + (seed + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
