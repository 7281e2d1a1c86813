package io.weft.core.ml;

import java.io.Serializable;
import java.util.Arrays;

/**
 * Ratings of products by users that are products of a few hidden numbers of each, a share of which is shown.
 *
 * @param seeded draws them
 * @param users number of users
 * @param products number of products
 * @param rank hidden numbers of each
 */
public record Ratings(Seeded seeded, int users, int products, int rank) implements Serializable {
    private static final double SHOWN = 0.4;

    /** Whether a rating is shown to the method. */
    public boolean shown(long user, int product) {
        return seeded.uniform(user, -1L - product) < SHOWN;
    }

    /** A rating. */
    public double rating(long user, int product) {
        return product(hidden(user), hidden(-1L - product));
    }

    private double[] hidden(long row) {
        double[] found = new double[rank];
        Arrays.setAll(found, at -> seeded.normal(row, at));
        return found;
    }

    private double product(double[] user, double[] product) {
        return Product.dot(user, product) / Math.sqrt(rank);
    }

    /** What a method says of a rating. */
    @FunctionalInterface
    public interface Guess {
        double of(int user, int product);
    }

    /** The root of the mean square error of ratings that were not shown, divided by that of always saying zero. */
    public double error(Guess guess) {
        double[][] all = new double[products][];
        Arrays.setAll(all, product -> hidden(-1L - product));
        double squares = 0;
        double size = 0;
        for (int user = 0; user < users; user++) {
            double[] own = hidden(user);
            for (int product = 0; product < products; product++) {
                if (!shown(user, product)) {
                    double right = product(own, all[product]);
                    double off = guess.of(user, product) - right;
                    squares += off * off;
                    size += right * right;
                }
            }
        }
        return Math.sqrt(squares / size);
    }
}
