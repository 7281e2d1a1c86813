package io.weft.core;

/** Draws a number with given odds from one random number and one look into a table, by Walker's alias method (1977). */
final class Alias {
    /** For each column of the table: its own number is drawn below this share of 2^32, its alias above. */
    private final int[] shares;
    private final int[] aliases;

    /** Number i is drawn with a probability proportional to weight i. The weights are used up. */
    Alias(double[] weights) {
        int count = weights.length;
        shares = new int[count];
        aliases = new int[count];
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        for (int i = 0; i < count; i++) {
            weights[i] *= count / sum;
        }
        fill(weights);
    }

    /** Numbers from 0 on, the odds of r being (r+1)^-exponent; with StrictMath, which has the same bits everywhere. */
    static Alias zipf(int count, double exponent) {
        double[] weights = new double[count];
        for (int rank = 0; rank < count; rank++) {
            weights[rank] = StrictMath.pow(rank + 1.0, -exponent);
        }
        return new Alias(weights);
    }

    private void fill(double[] weights) {
        int[] small = new int[weights.length];
        int[] large = new int[weights.length];
        int smalls = 0;
        int larges = 0;
        for (int i = 0; i < weights.length; i++) {
            if (weights[i] < 1) {
                small[smalls++] = i;
            } else {
                large[larges++] = i;
            }
        }
        while (smalls > 0 && larges > 0) {
            int low = small[--smalls];
            int high = large[larges - 1];
            shares[low] = (int) (long) (weights[low] * 0x1p32);
            aliases[low] = high;
            weights[high] -= 1 - weights[low];
            if (weights[high] < 1) {
                small[smalls++] = high;
                larges--;
            }
        }
        // what is left has weight 1 but for rounding
        while (larges > 0) {
            whole(large[--larges]);
        }
        while (smalls > 0) {
            whole(small[--smalls]);
        }
    }

    private void whole(int column) {
        shares[column] = -1;
        aliases[column] = column;
    }

    /** What a random number of 64 bits draws. */
    int draw(long random) {
        int column = (int) ((random >>> 32) * shares.length >>> 32);
        return Integer.compareUnsigned((int) random, shares[column]) < 0 ? column : aliases[column];
    }
}
