package io.weft.core;

import java.io.Serializable;

/**
 * What a sequence of (key, number) pairs holds: their count, the sum of the pairs' hashes, which does not depend on the
 * order, and a hash of the keys, which does.
 */
public final class KeyTally implements Serializable {
    private static final long serialVersionUID = 1L;
    /** Odd, so that no key is lost to the multiplications after it (the multiplier of PCG's 64-bit generator). */
    private static final long STEP = 6364136223846793005L;

    private long count;
    private long pairs;
    private long keys;

    /** Counts a pair. */
    public void add(int key, long number) {
        key(key);
        count++;
        pairs += Hash64.of(key, number);
    }

    /** Counts the key of a pair alone. */
    void key(int key) {
        keys = keys * STEP + Hash64.mix(key + 1L);
    }

    /** Adds its line to an answer. */
    public void put(String name, Answer answer) {
        answer.put(name, count, pairs, keys);
    }

    /** The number of pairs. */
    long count() {
        return count;
    }

    /** The sum of the pairs' hashes. */
    long pairs() {
        return pairs;
    }

    /** The hash of the keys in their order. */
    long keys() {
        return keys;
    }
}
