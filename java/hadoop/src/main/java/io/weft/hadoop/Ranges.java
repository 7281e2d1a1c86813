package io.weft.hadoop;

import io.weft.core.Parallel;
import io.weft.core.RangeTable;
import io.weft.core.TeraRecord;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;

/** The ranges of a job: made of keys that the submitting program samples, and sent along in the job's settings. */
final class Ranges {
    private static final String SETTING = "weft.terasort.ranges";
    /** Records read at one place: about a page, since a smaller read would cost as much. */
    private static final int BLOCK = 40;
    /** With 1000 keys a range, the sizes of ranges differ by about 3 % (one standard deviation). */
    private static final int KEYS_PER_RANGE = 1000;
    private static final int MOST_KEYS = 1_000_000;

    private Ranges() {
    }

    /** Samples the input and puts ranges of about equal size into the settings; the same input gives the same. */
    static void sample(List<FileStatus> files, int ranges, Configuration settings) throws Exception {
        long rows = files.stream().mapToLong(FileStatus::getLen).sum() / TeraRecord.LENGTH;
        double blocksPerRow = (double) Math.min(MOST_KEYS, (long) ranges * KEYS_PER_RANGE) / BLOCK / rows;
        List<Callable<long[]>> tasks = new ArrayList<>();
        for (FileStatus file : files) {
            long inFile = file.getLen() / TeraRecord.LENGTH;
            if (inFile > 0) {
                int seed = tasks.size();
                tasks.add(() -> keys(file, (int) Math.ceil(inFile * blocksPerRow), seed, settings));
            }
        }
        LongStream keys = Parallel.run(Parallel.processors(), tasks).stream().flatMapToLong(LongStream::of);
        settings.set(SETTING, text(RangeTable.of(keys.toArray(), ranges)));
    }

    /** The ranges of the job that a task belongs to. */
    static RangeTable from(Configuration settings) throws IOException {
        byte[] bytes = Base64.getDecoder().decode(settings.get(SETTING));
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (RangeTable) in.readObject();
        } catch (ClassNotFoundException error) {
            throw new IOException(error);
        }
    }

    private static String text(RangeTable table) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(table);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /** The first 8 bytes of the keys of some blocks, each at a random place in its own stretch of the file. */
    private static long[] keys(FileStatus file, int blocks, int seed, Configuration settings) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        long rows = file.getLen() / TeraRecord.LENGTH;
        int block = (int) Math.min(BLOCK, Math.max(1, rows / blocks));
        long[] keys = new long[Math.multiplyExact(blocks, block)];
        byte[] bytes = new byte[block * TeraRecord.LENGTH];
        try (FSDataInputStream in = file.getPath().getFileSystem(settings).open(file.getPath())) {
            for (int i = 0; i < blocks; i++) {
                long first = rows * i / blocks;
                long room = Math.max(1, rows * (i + 1) / blocks - first - block + 1);
                long row = Math.min(first + random.nextLong(room), rows - block);
                in.readFully(row * TeraRecord.LENGTH, bytes);
                for (int k = 0; k < block; k++) {
                    keys[i * block + k] = TeraRecord.prefix(bytes, k * TeraRecord.LENGTH);
                }
            }
        }
        return keys;
    }
}
