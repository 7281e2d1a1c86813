package io.weft.core;

import java.math.BigInteger;

/**
 * The points of the Halton sequence in bases 2 and 3, and whether they lie in the circle within the unit square,
 * exactly: x is a number of 2^-40, y one of 3^-25. Point 1 is the first, as in Hadoop's pi.
 */
public final class Halton {
    /** The most points: all whose number has up to 25 digits in base 3. */
    public static final long MOST = 847_288_609_442L;
    static final int BITS = 40;
    static final int TRITS = 25;
    static final long X_UNITS = 1L << BITS;
    /** 3^25. */
    static final long Y_UNITS = 847_288_609_443L;
    /** More than the rounding of {@link #inside}, which is some units of 2^-53. */
    private static final double CLOSE = 1e-14;

    private Halton() {
    }

    /** Of the points with numbers in (from, to]: those in the circle. Any split of a range gives the same sum. */
    public static long count(long from, long to) {
        long count = 0;
        long y = inverse3(from);
        for (long number = from + 1; number <= to; number++) {
            y = next3(y);
            count += inside(2 * inverse2(number) - X_UNITS, 2 * y - Y_UNITS) ? 1 : 0;
        }
        return count;
    }

    /** The number of points before a task's first. */
    public static long start(long points, int tasks, int task) {
        return points / tasks * task + points % tasks * task / tasks;
    }

    /** Adds one to a number whose base-3 digits are reversed: the carry runs downwards. */
    private static long next3(long reversed) {
        long digit = Y_UNITS / 3;
        long y = reversed;
        while (y / digit % 3 == 2) {
            y -= 2 * digit;
            digit /= 3;
        }
        return y + digit;
    }

    /** The base-3 digits of a number in reverse, as a number of 3^-25. */
    static long inverse3(long number) {
        long reversed = 0;
        long rest = number;
        for (int i = 0; i < TRITS; i++) {
            reversed = reversed * 3 + rest % 3;
            rest /= 3;
        }
        return reversed;
    }

    /** The lowest 40 bits of a number in reverse, as a number of 2^-40. */
    static long inverse2(long number) {
        return Long.reverse(number) >>> (Long.SIZE - BITS);
    }

    /** Whether a place is in the circle, given as twice its distances from the centre in units of x and of y. */
    static boolean inside(long u, long v) {
        double right = u * (1.0 / X_UNITS);
        double up = v / (double) Y_UNITS;
        double beyond = right * right + up * up - 1;
        return Math.abs(beyond) > CLOSE ? beyond < 0 : exactlyInside(u, v);
    }

    private static boolean exactlyInside(long u, long v) {
        BigInteger width = BigInteger.valueOf(X_UNITS);
        BigInteger height = BigInteger.valueOf(Y_UNITS);
        BigInteger right = BigInteger.valueOf(u).multiply(height);
        BigInteger up = BigInteger.valueOf(v).multiply(width);
        return right.multiply(right).add(up.multiply(up)).compareTo(width.multiply(height).pow(2)) <= 0;
    }
}
