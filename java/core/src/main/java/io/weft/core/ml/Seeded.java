package io.weft.core.ml;

import io.weft.core.Hash64;
import java.io.Serializable;

/**
 * Numbers of a table, each drawn from the seed and its own place alone, so that they depend neither on partitions nor
 * on which process draws them.
 *
 * @param seed of all numbers
 */
public record Seeded(long seed) implements Serializable {
    private static final long GAMMA = 0x9e3779b97f4a7c15L;

    private long bits(long row, long column) {
        return Hash64.mix(Hash64.mix(seed + row * GAMMA) + column * GAMMA);
    }

    /** Uniform in [0, 1). */
    public double uniform(long row, long column) {
        return (bits(row, column) >>> 11) * 0x1p-53;
    }

    /** Uniform below a number. */
    public int below(long row, long column, int number) {
        return (int) (uniform(row, column) * number);
    }

    /** Standard normal (Box and Muller). */
    public double normal(long row, long column) {
        double radius = Math.sqrt(-2 * Math.log(1 - uniform(row, 2 * column)));
        return radius * Math.cos(2 * Math.PI * uniform(row, 2 * column + 1));
    }
}
