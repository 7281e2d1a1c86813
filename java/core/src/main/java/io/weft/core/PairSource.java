package io.weft.core;

import java.util.SplittableRandom;

/**
 * The pairs of one mapper of GroupBy: keys uniform in [0, 2^31-1) as Spark's GroupByTest draws them, and values of
 * random bytes. Keys and values come from two generators, so that the keys can be had without the values.
 */
public final class PairSource {
    private final SplittableRandom keys;
    private final SplittableRandom values;
    private final int valueBytes;

    /** The pairs of a mapper; seed and mapper alone decide them. */
    public PairSource(long seed, int mapper, int valueBytes) {
        long own = Hash64.of(mapper, seed);
        this.keys = new SplittableRandom(own);
        this.values = new SplittableRandom(Hash64.mix(own + 1));
        this.valueBytes = valueBytes;
    }

    /** The next key. */
    public int key() {
        return keys.nextInt(Integer.MAX_VALUE);
    }

    /** The next value, in an array of its own. */
    public byte[] value() {
        byte[] value = new byte[valueBytes];
        values.nextBytes(value);
        return value;
    }
}
