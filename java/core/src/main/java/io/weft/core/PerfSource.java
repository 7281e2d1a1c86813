package io.weft.core;

import java.util.SplittableRandom;

/** The records of one partition of the spark-perf core set: uniform keys and values, as numbers. */
public final class PerfSource {
    private final SplittableRandom random;
    private final int uniqueKeys;
    private final int uniqueValues;

    /** The records of a partition; the seed and the partition's number alone decide them. */
    public PerfSource(Spec spec, int partition) {
        this.random = new SplittableRandom(Hash64.of(partition, spec.seed()));
        this.uniqueKeys = spec.uniqueKeys();
        this.uniqueValues = spec.uniqueValues();
    }

    /** How many records there are, and of how many different keys and values. */
    public record Spec(long records, int uniqueKeys, int uniqueValues, int partitions, long seed)
            implements java.io.Serializable {
        /** The number of records of a partition. */
        public long records(int partition) {
            return (partition + 1L) * records / partitions - (long) partition * records / partitions;
        }
    }

    /** The next key; call {@link #value} after each. */
    public int key() {
        return random.nextInt(uniqueKeys);
    }

    /** The value that belongs to the last key. */
    public int value() {
        return random.nextInt(uniqueValues);
    }

    /** A number as text, with zeros in front up to a length; longer numbers stay whole. */
    public static String padded(int number, int length) {
        String digits = Integer.toString(number);
        return digits.length() < length ? "0".repeat(length - digits.length()) + digits : digits;
    }
}
