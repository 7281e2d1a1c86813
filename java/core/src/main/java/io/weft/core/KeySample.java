package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;

/** Samples keys in small blocks spread evenly over the whole input, enough for ranges of about equal size. */
public final class KeySample {
    /** Records read at one place: about a page, since a smaller read would cost as much. */
    private static final int BLOCK = 40;
    /** With 1000 keys a range, the sizes of ranges differ by about 3 % (one standard deviation). */
    private static final int KEYS_PER_RANGE = 1000;
    /** Threads that wait for the reads of a sample. */
    private static final int READERS = 8;
    private static final int MOST_KEYS = 1_000_000;

    private KeySample() {
    }

    /** Ranges of about equal size, from keys that this process samples; the same input gives the same ranges. */
    public static RangeTable ranges(Splits splits, int ranges) throws Exception {
        double density = blocksPerByte(splits, ranges);
        List<Callable<long[]>> samples = new ArrayList<>();
        for (Splits.Split split : splits.splits) {
            samples.add(() -> keys(splits.store, split, density));
        }
        LongStream keys = Parallel.run(READERS, samples).stream().flatMapToLong(LongStream::of);
        return RangeTable.of(keys.toArray(), ranges);
    }

    /** How many blocks to read from each byte of the input. */
    public static double blocksPerByte(Splits splits, int ranges) {
        long keys = Math.min(MOST_KEYS, (long) ranges * KEYS_PER_RANGE);
        return (double) keys / BLOCK / splits.bytes();
    }

    /** The first 8 bytes of sampled keys of a split; the same split gives the same keys. */
    public static long[] keys(Store store, Splits.Split split, double blocksPerByte) throws IOException {
        return ofBlocks(store, split, (int) Math.ceil(split.bytes() * blocksPerByte));
    }

    /** The first 8 bytes of the keys of some blocks, each at a random place in its own stretch of the split. */
    public static long[] ofBlocks(Store store, Splits.Split split, int blocks) throws IOException {
        SplittableRandom random = new SplittableRandom(split.index());
        long rows = split.bytes() / TeraRecord.LENGTH;
        int block = (int) Math.min(BLOCK, Math.max(1, rows / blocks));
        long[] keys = new long[Math.multiplyExact(blocks, block)];
        byte[] bytes = new byte[block * TeraRecord.LENGTH];
        try (Store.Reader in = store.open(split.name())) {
            for (int i = 0; i < blocks; i++) {
                long first = rows * i / blocks;
                long room = Math.max(1, rows * (i + 1) / blocks - first - block + 1);
                long row = Math.min(first + random.nextLong(room), rows - block);
                in.read(split.from() + row * TeraRecord.LENGTH, bytes, bytes.length);
                for (int k = 0; k < block; k++) {
                    keys[i * block + k] = TeraRecord.prefix(bytes, k * TeraRecord.LENGTH);
                }
            }
        }
        return keys;
    }
}
