package io.weft.core;

/**
 * The 128-bit linear congruential generator of gensort: x -> x * A + C modulo 2^128, starting from 0.
 * The constants are those of {@code org.apache.hadoop.examples.terasort.Random16}.
 */
final class Lcg128 {
    private static final long A_HIGH = 0x2360ed051fc65da4L;
    private static final long A_LOW = 0x4385df649fccf645L;
    private static final long C_HIGH = 0x4a696d4772617952L;
    private static final long C_LOW = 0x4950202020202001L;

    /** The upper and lower 64 bits of the state. */
    long high;
    long low;

    /** The state after a number of steps, found in 64 doublings. */
    static Lcg128 after(long steps) {
        Lcg128 state = new Lcg128();
        // (aHigh, aLow) and (cHigh, cLow) are the generator that takes 2^k steps at once
        long aHigh = A_HIGH;
        long aLow = A_LOW;
        long cHigh = C_HIGH;
        long cLow = C_LOW;
        for (long rest = steps; rest != 0; rest >>>= 1) {
            if ((rest & 1) != 0) {
                state.step(aHigh, aLow, cHigh, cLow);
            }
            Lcg128 twice = new Lcg128();
            twice.high = cHigh;
            twice.low = cLow;
            twice.step(aHigh, aLow, cHigh, cLow);
            cHigh = twice.high;
            cLow = twice.low;
            long square = unsignedHigh(aLow, aLow) + 2 * aHigh * aLow;
            aLow = aLow * aLow;
            aHigh = square;
        }
        return state;
    }

    /** One step. */
    void next() {
        step(A_HIGH, A_LOW, C_HIGH, C_LOW);
    }

    private void step(long aHigh, long aLow, long cHigh, long cLow) {
        long productLow = low * aLow;
        long productHigh = unsignedHigh(low, aLow) + high * aLow + low * aHigh;
        low = productLow + cLow;
        long carry = Long.compareUnsigned(low, productLow) < 0 ? 1 : 0;
        high = productHigh + cHigh + carry;
    }

    /** The upper half of an unsigned 64 x 64 bit product; Math has only the signed one in Java 17. */
    private static long unsignedHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    }
}
