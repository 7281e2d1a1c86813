package io.weft.core.ml;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

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

    /** The hash of what a method reads of a rating. */
    public static long hash(int user, int product, double rating) {
        return ReadTally.hash(user, product, rating);
    }

    /** By user: the hashes of the ratings that are shown. */
    LongFunction<long[]> hashes() {
        double[][] all = all();
        return user -> {
            double[] own = hidden(user);
            return IntStream.range(0, products).filter(product -> shown(user, product))
                    .mapToLong(product -> hash((int) user, product, product(own, all[product]))).toArray();
        };
    }

    /**
     * Compares the gradient of the loss with zero at each user's factors, which ALS finds last from those of the products
     * and from all ratings that are shown: the sum of (found - rating) times the product's factors, and of the penalty
     * times the user's own for each rating (Zhou et al., AAIM 2008, weighted-lambda regularization). It is relative to
     * the sum of the sizes of the ratings times factors.
     */
    void stationary(double[][] byUser, double[][] byProduct, double penalty, Near near) {
        double[][] all = all();
        for (int user = 0; user < users; user++) {
            double[] own = hidden(user);
            double[] factors = byUser[user];
            double[] gradient = new double[factors.length];
            double size = 0;
            for (int product = 0; product < products; product++) {
                if (shown(user, product)) {
                    double right = product(own, all[product]);
                    double off = Product.dot(factors, byProduct[product]) - right;
                    for (int at = 0; at < gradient.length; at++) {
                        gradient[at] += off * byProduct[product][at] + penalty * factors[at];
                        size += Math.abs(right * byProduct[product][at]);
                    }
                }
            }
            for (int at = 0; at < gradient.length; at++) {
                gradient[at] /= Math.max(Double.MIN_NORMAL, size / gradient.length);
            }
            near.same("gradient at the factors of user " + user, gradient, new double[gradient.length]);
        }
    }

    /** The hidden numbers of all products. */
    private double[][] all() {
        double[][] all = new double[products][];
        Arrays.setAll(all, product -> hidden(-1L - product));
        return all;
    }

    /** What a method says of a rating. */
    @FunctionalInterface
    public interface Guess {
        double of(int user, int product);
    }

    /** The root of the mean square error of ratings that were not shown, divided by that of always saying zero. */
    public double error(Guess guess) {
        double[][] all = all();
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
