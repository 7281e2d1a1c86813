package io.weft.core;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/**
 * A file whose every 8 bytes are known from their offset and a seed, so that what is read can be proved right.
 *
 * @param path the file
 * @param bytes its length, a multiple of 8
 * @param seed what its content depends on
 */
record KnownFile(Path path, long bytes, long seed) {
    private static final int BLOCK = 1 << 20;

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

    /** Seconds for opening the file once and reading at all offsets. */
    double readWithOneOpen(long[] offsets, ByteBuffer buffer) throws IOException {
        long began = System.nanoTime();
        try (FileChannel in = FileChannel.open(path)) {
            for (long offset : offsets) {
                read(in, offset, buffer);
            }
        }
        return (System.nanoTime() - began) / 1e9;
    }

    /** Seconds for opening, reading once and closing at each offset. */
    double readWithOpens(long[] offsets, ByteBuffer buffer) throws IOException {
        long began = System.nanoTime();
        for (long offset : offsets) {
            try (FileChannel in = FileChannel.open(path)) {
                read(in, offset, buffer);
            }
        }
        return (System.nanoTime() - began) / 1e9;
    }

    private void read(FileChannel in, long offset, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (in.read(buffer, offset + buffer.position()) < 0) {
                throw new WrongInput(path + " ends at " + in.size() + ", before " + (offset + buffer.capacity()) + ".");
            }
        }
        int last = (buffer.capacity() - 1) / Long.BYTES * Long.BYTES;
        last = last + Long.BYTES > buffer.capacity() ? last - Long.BYTES : last;
        if (buffer.getLong(0) != word(seed, offset) || buffer.getLong(last) != word(seed, offset + last)) {
            throw new WrongInput(path + " has wrong bytes at offset " + offset + ".");
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
