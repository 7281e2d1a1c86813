package io.weft.core.ml;

import io.weft.core.Outcome;

/** Checks a product of two matrices of whole numbers by multiplying both sides with random vectors (Freivalds). */
public final class Product {
    private static final int ROUNDS = 20;

    private Product() {
    }

    /** Each round misses a wrong product with a probability of at most one half; sums are exact below 2^53. */
    public static void check(Table one, Table other, double[][] found, Seeded dice, Outcome outcome) {
        for (int row = 0; row < one.rows(); row++) {
            if (row >= found.length || found[row] == null || found[row].length != other.columns()) {
                outcome.problem("row " + row + " of the product is missing, or too short");
                return;
            }
        }
        for (int round = 0; round < ROUNDS; round++) {
            double[] vector = new double[other.columns()];
            for (int at = 0; at < vector.length; at++) {
                vector[at] = dice.below(round, at, 2);
            }
            double[] right = times(one, times(other, vector));
            for (int row = 0; row < found.length; row++) {
                double sum = dot(found[row], vector);
                if (sum != right[row]) {
                    outcome.problem("row " + row + " of the product times a vector is " + sum + ", expected "
                            + right[row]);
                    return;
                }
            }
        }
        outcome.put("rounds", ROUNDS);
    }

    private static double[] times(Table table, double[] vector) {
        double[] found = new double[(int) table.rows()];
        for (int row = 0; row < found.length; row++) {
            found[row] = dot(table.row(row), vector);
        }
        return found;
    }

    /** The sum of products of two rows. */
    public static double dot(double[] row, double[] vector) {
        double sum = 0;
        for (int at = 0; at < vector.length; at++) {
            sum += row[at] * vector[at];
        }
        return sum;
    }
}
