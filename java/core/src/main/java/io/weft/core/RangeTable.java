package io.weft.core;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.Arrays;

/**
 * Divides keys into ranges by their first 8 bytes: the range of a key is the number of splitters that are not
 * above it. Keys that differ only in the last 2 bytes share a range, which costs balance at most, never order.
 */
public final class RangeTable implements Serializable {
    private static final long serialVersionUID = 1L;
    /** The table is indexed by this many leading bits, small enough for the first-level cache. */
    private static final int BITS = 12;

    /** Ascending, with the top bit flipped so that signed comparison orders them. */
    private final long[] splitters;
    /** For each value of the leading bits: the number of splitters below it. */
    private transient int[] below;

    private RangeTable(long[] splitters) {
        this.splitters = splitters;
        this.below = index(splitters);
    }

    /**
     * A table whose ranges hold about equally many of the sampled keys.
     *
     * @param sample the first 8 bytes of sampled keys, in any order; may be empty
     * @param ranges the number of ranges, at least 1; equal keys may leave some of them empty
     */
    public static RangeTable of(long[] sample, int ranges) {
        long[] sorted = sample.clone();
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] ^= Long.MIN_VALUE;
        }
        Arrays.sort(sorted);
        long[] splitters = new long[sorted.length == 0 ? 0 : ranges - 1];
        for (int i = 0; i < splitters.length; i++) {
            splitters[i] = sorted[(int) ((i + 1L) * sorted.length / ranges)];
        }
        return new RangeTable(splitters);
    }

    /** The range of a key, from 0. */
    public int range(long prefix) {
        int bucket = (int) (prefix >>> (64 - BITS));
        long key = prefix ^ Long.MIN_VALUE;
        int low = below[bucket];
        int high = below[bucket + 1];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (splitters[middle] <= key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static int[] index(long[] splitters) {
        int[] below = new int[(1 << BITS) + 1];
        int count = 0;
        for (int bucket = 0; bucket < below.length; bucket++) {
            while (count < splitters.length && bucket(splitters[count]) < bucket) {
                count++;
            }
            below[bucket] = count;
        }
        return below;
    }

    private static int bucket(long splitter) {
        return (int) ((splitter ^ Long.MIN_VALUE) >>> (64 - BITS));
    }

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
        in.defaultReadObject();
        below = index(splitters);
    }
}
