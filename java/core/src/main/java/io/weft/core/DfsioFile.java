package io.weft.core;

import java.io.IOException;
import java.util.Arrays;
import java.util.PrimitiveIterator;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.zip.CRC32;

/**
 * A file of TestDFSIO and what is done to it. Every 8 bytes are known from the seed, the file's number and their
 * offset. Who only reads does not get the seed, so that no other way leads to the right checksum. Making content and
 * checksums is outside of what is measured.
 *
 * @param name its name, a path or a URI
 * @param number which file of the data set it is
 * @param seed what the content of the whole data set depends on, or {@link #UNKNOWN}
 * @param bytes its length, a multiple of 8; after an append it is twice as long
 * @param buffer bytes of a read or a write, a multiple of 8; no more than the file has
 */
public record DfsioFile(String name, int number, long seed, long bytes, int buffer) {
    /** The buffer of TestDFSIO (test.io.file.buffer.size). */
    public static final int BUFFER = 1_000_000;
    /** The seed of a data set that is only read. */
    public static final long UNKNOWN = -1;
    private static final long FILES = 1L << 24;

    /** What is measured. */
    public enum Operation {
        /** Makes the file. */
        WRITE,
        /** Writes as many bytes again behind the file's end. */
        APPEND,
        /** Reads the file from its begin to its end. */
        READ,
        /** Reads as many bytes as the file has, a buffer at a time, at places spread over the file by chance. */
        RANDOM
    }

    /** @throws UsageError when a length is no multiple of 8 */
    public DfsioFile {
        if (bytes % Long.BYTES != 0 || buffer % Long.BYTES != 0) {
            throw new UsageError("The lengths of a file and of a buffer must be multiples of 8.");
        }
        buffer = (int) Math.max(Long.BYTES, Math.min(buffer, bytes));
    }

    /** A file of a data set in a directory. */
    public static DfsioFile of(String directory, int number, long seed, long bytes, int buffer) {
        return new DfsioFile(directory + "/" + PartFiles.name(number), number, seed, bytes, buffer);
    }

    /** Does one operation. */
    public DfsioTiming measure(Operation operation, Store store) throws IOException {
        return switch (operation) {
            case WRITE -> write(store, 0);
            case APPEND -> write(store, bytes);
            default -> read(store, offsets(operation));
        };
    }

    /**
     * Compares all of the file with what has to be in it.
     *
     * @throws WrongInput that names the first wrong byte
     */
    void require(Store store) throws IOException {
        byte[] content = new byte[buffer];
        byte[] wanted = new byte[buffer];
        try (Store.Reader in = store.open(name)) {
            for (PrimitiveIterator.OfLong offsets = offsets(Operation.READ); offsets.hasNext();) {
                long offset = offsets.nextLong();
                int length = fill(wanted, offset, bytes - offset);
                in.read(offset, content, length);
                int wrong = Arrays.mismatch(content, 0, length, wanted, 0, length);
                if (wrong >= 0) {
                    throw new WrongInput("The file " + name + " has a wrong byte at offset " + (offset + wrong) + ".");
                }
            }
        }
    }

    /** The checksum that an operation has to report, from the generator alone; takes 1 MB whatever the buffer. */
    public long answer(Operation operation) {
        CRC32 crc = new CRC32();
        byte[] content = new byte[Math.min(buffer, BUFFER)];
        if (operation != Operation.RANDOM) {
            sum(operation == Operation.APPEND ? bytes : 0, bytes, content, crc);
            return crc.getValue();
        }
        long done = 0;
        for (PrimitiveIterator.OfLong offsets = offsets(operation); offsets.hasNext();) {
            long offset = offsets.nextLong();
            long length = Math.min(buffer, Math.min(bytes - offset, bytes - done));
            sum(offset, length, content, crc);
            done += length;
        }
        return crc.getValue();
    }

    /** Adds the content of a stretch, piece by piece in an array. */
    private void sum(long from, long length, byte[] content, CRC32 crc) {
        for (long done = 0; done < length; done += content.length) {
            crc.update(content, 0, fill(content, from + done, length - done));
        }
    }

    private DfsioTiming write(Store store, long from) throws IOException {
        CRC32 crc = new CRC32();
        byte[] content = new byte[buffer];
        long began = System.nanoTime();
        long opened;
        long transfer = 0;
        try (Store.Writer out = from == 0 ? store.create(name) : store.append(name)) {
            opened = System.nanoTime() - began;
            for (long done = 0; done < bytes; done += buffer) {
                int length = fill(content, from + done, bytes - done);
                crc.update(content, 0, length);
                long start = System.nanoTime();
                out.write(content, length);
                transfer += System.nanoTime() - start;
            }
            began = System.nanoTime();
        }
        return new DfsioTiming(number, bytes, opened, transfer + System.nanoTime() - began, crc.getValue());
    }

    private DfsioTiming read(Store store, PrimitiveIterator.OfLong offsets) throws IOException {
        CRC32 crc = new CRC32();
        byte[] content = new byte[buffer];
        long began = System.nanoTime();
        long opened;
        long transfer = 0;
        long done = 0;
        try (Store.Reader in = store.open(name)) {
            opened = System.nanoTime() - began;
            while (offsets.hasNext()) {
                long offset = offsets.nextLong();
                int length = (int) Math.min(buffer, Math.min(bytes - offset, bytes - done));
                long start = System.nanoTime();
                in.read(offset, content, length);
                transfer += System.nanoTime() - start;
                crc.update(content, 0, length);
                done += length;
            }
            began = System.nanoTime();
        }
        return new DfsioTiming(number, done, opened, transfer + System.nanoTime() - began, crc.getValue());
    }

    /** Where each read begins, one after another: an array of all would be large where buffers are small. */
    private PrimitiveIterator.OfLong offsets(Operation operation) {
        LongStream reads = LongStream.range(0, (bytes + buffer - 1) / buffer);
        if (operation == Operation.RANDOM && bytes > buffer) {
            SplittableRandom random = new SplittableRandom(number);
            long places = (bytes - buffer) / Long.BYTES + 1;
            return reads.map(i -> random.nextLong(places) * Long.BYTES).iterator();
        }
        return reads.map(i -> i * buffer).iterator();
    }

    /** Fills a buffer with the content at an offset, a multiple of 8, and gives how many of its bytes are wanted. */
    int fill(byte[] content, long offset, long most) {
        long mixed = seed * FILES + number;
        int length = (int) Math.min(content.length, most);
        KnownFile.fill(content, length, mixed, offset);
        return length;
    }
}
