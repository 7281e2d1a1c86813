package io.weft.nexmark;

import io.weft.core.Hash64;
import java.util.List;

/** Random numbers of one event, which do not depend on those of others. */
final class Draw {
    private static final double UNIT = 0x1.0p-53;
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private long state;

    private Draw(long state) {
        this.state = state;
    }

    static Draw of(long seed, long number) {
        return new Draw(Hash64.mix(Hash64.mix(seed + STEP) + number));
    }

    private long next() {
        state += STEP;
        return Hash64.mix(state);
    }

    /** A whole number from 0 up to, not including, a bound. */
    long below(long bound) {
        return Long.remainderUnsigned(next(), bound);
    }

    /** From 0 up to, not including, 1. */
    double unit() {
        return (next() >>> 11) * UNIT;
    }

    /** One of some values. */
    <T> T one(List<T> values) {
        return values.get((int) below(values.size()));
    }
}
