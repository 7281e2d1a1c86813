package io.weft.core;

import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The work of tasks of a trace's jobs, the same on every engine. All jobs read from one set of files, each from a place
 * that depends on the seed; every byte that is read or arrives is compared.
 *
 * @param input the directory of the files that jobs read
 * @param files how many there are
 * @param file bytes of each, a multiple of 8
 * @param seed what all content depends on
 */
public record TraceWork(String input, int files, long file, long seed) implements Serializable {
    /** Bytes of a record of the shuffle, with the 8 of its number; the last one of a job has the rest. */
    public static final int RECORD = 100;
    private static final int BUFFER = 1 << 20;
    private static final int SPREAD = 1_000_003;

    /** Records of a job's shuffle. */
    public static long records(TraceLine line) {
        return line.shuffle() == 0 ? 0 : Math.max(1, line.shuffle() / RECORD);
    }

    /** The first record of a map task; that of the task after the last is their number. */
    public static long firstRecord(TraceLine line, int map) {
        return TraceLine.edge(records(line), map, line.maps());
    }

    /** The reduce task of a record. */
    public static int reduce(long record, int reduces) {
        return (int) Math.floorMod(KnownFile.word(0, record), (long) reduces);
    }

    /** The content of a record besides its number. */
    public byte[] value(TraceLine line, long record) {
        long count = records(line);
        long length = record < count - 1 ? RECORD : line.shuffle() - RECORD * (count - 1);
        byte[] content = new byte[Math.toIntExact(length) - Long.BYTES];
        long key = KnownFile.word(own(line), record);
        long word = 0;
        for (int i = 0; i < content.length; i++) {
            word = i % Long.BYTES == 0 ? KnownFile.word(key, i) : word >>> Byte.SIZE;
            content[i] = (byte) word;
        }
        return content;
    }

    /**
     * A record that arrived.
     *
     * @throws WrongInput when it is not what was sent
     */
    public TraceTally arrived(TraceLine line, long record, byte[] content, int length) throws WrongInput {
        byte[] sent = value(line, record);
        if (!Arrays.equals(sent, 0, sent.length, content, 0, length)) {
            throw new WrongInput("Record " + record + " of " + line.name() + " did not arrive as it was sent.");
        }
        return new TraceTally(0, Long.BYTES + length, 1, TraceTally.square(record), 0);
    }

    /**
     * Reads a map task's share of the input.
     *
     * @throws WrongInput when a byte is wrong
     */
    public TraceTally read(TraceLine line, int map) throws IOException {
        long from = aligned(line.input(), map, line.maps());
        long rest = aligned(line.input(), map + 1, line.maps()) - from;
        long read = rest;
        long words = files * file / Long.BYTES;
        long at = words == 0 ? 0 : Math.floorMod(own(line), words) * Long.BYTES + from;
        Store store = Store.of(input);
        while (rest > 0) {
            int number = (int) (at / file % files);
            long length = Math.min(rest, file - at % file);
            compare(store, DfsioFile.of(input, number, seed, file, BUFFER), at % file, length);
            at += length;
            rest -= length;
        }
        return new TraceTally(read, 0, 0, 0, 0);
    }

    /** Writes one file of a job's output; the name of an attempt belongs to this attempt alone. */
    public TraceTally write(TraceLine line, String directory, int part, String attempt) throws IOException {
        DfsioFile content = content(line, part);
        long length = length(line, part);
        byte[] buffer = new byte[(int) Math.min(BUFFER, length + Long.BYTES) / Long.BYTES * Long.BYTES];
        try (Attempt out = new Attempt(Store.of(directory), directory, part, attempt)) {
            for (long done = 0; done < length; done += buffer.length) {
                out.write(buffer, content.fill(buffer, done, length - done));
            }
            out.commit();
        }
        return new TraceTally(0, 0, 0, 0, length);
    }

    /**
     * Compares a job's output with what it has to be.
     *
     * @throws WrongInput when a file or a byte is wrong
     */
    void validate(TraceLine line, String directory) throws IOException {
        TreeMap<Integer, Store.Input> parts = PartFiles.in(directory);
        if (parts.size() != line.parts() || parts.lastKey() != line.parts() - 1) {
            throw new WrongInput("The directory " + directory + " has " + parts.size() + " parts, expected "
                    + line.parts() + ".");
        }
        for (Map.Entry<Integer, Store.Input> part : parts.entrySet()) {
            long length = length(line, part.getKey());
            if (part.getValue().length() != length) {
                throw new WrongInput("The file " + part.getValue().name() + " has " + part.getValue().length()
                        + " bytes, expected " + length + ".");
            }
            DfsioFile content = content(line, part.getKey());
            compare(Store.of(directory), new DfsioFile(part.getValue().name(), content.number(), content.seed(),
                    content.bytes(), BUFFER), 0, length);
        }
    }

    private static void compare(Store store, DfsioFile file, long from, long length) throws IOException {
        byte[] found = new byte[(int) Math.min(BUFFER, length + Long.BYTES) / Long.BYTES * Long.BYTES];
        byte[] wanted = new byte[found.length];
        try (Store.Reader in = store.open(file.name())) {
            for (long done = 0; done < length; done += found.length) {
                int count = file.fill(wanted, from + done, length - done);
                in.read(from + done, found, count);
                int wrong = Arrays.mismatch(found, 0, count, wanted, 0, count);
                if (wrong >= 0) {
                    throw new WrongInput("The file " + file.name() + " has a wrong byte at offset "
                            + (from + done + wrong) + ".");
                }
            }
        }
    }

    private DfsioFile content(TraceLine line, int part) {
        return new DfsioFile("", part, own(line), Long.BYTES, Long.BYTES);
    }

    private static long length(TraceLine line, int part) {
        return TraceLine.edge(line.output(), part + 1, line.parts()) - TraceLine.edge(line.output(), part, line.parts());
    }

    /** Begins of shares are multiples of 8, as content is known by words. */
    private static long aligned(long total, int i, int n) {
        return i == n ? total : TraceLine.edge(total / Long.BYTES, i, n) * Long.BYTES;
    }

    /** A seed of the job's own. */
    private long own(TraceLine line) {
        return KnownFile.word(seed, (long) SPREAD * line.number());
    }
}
