package io.weft.core.ml;

import java.io.Serializable;

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
    public boolean shown(int user, int product) {
        return seeded.uniform(user, -1L - product) < SHOWN;
    }

    /** A rating. */
    public double rating(int user, int product) {
        double sum = 0;
        for (int at = 0; at < rank; at++) {
            sum += seeded.normal(user, at) * seeded.normal(-1L - product, at);
        }
        return sum / Math.sqrt(rank);
    }

    /** What a method says of a rating. */
    @FunctionalInterface
    public interface Guess {
        double of(int user, int product);
    }

    /** The root of the mean square error of ratings that were not shown, divided by that of always saying zero. */
    public double error(Guess guess) {
        double squares = 0;
        double all = 0;
        for (int user = 0; user < users; user++) {
            for (int product = 0; product < products; product++) {
                if (!shown(user, product)) {
                    double right = rating(user, product);
                    double off = guess.of(user, product) - right;
                    squares += off * off;
                    all += right * right;
                }
            }
        }
        return Math.sqrt(squares / all);
    }
}
