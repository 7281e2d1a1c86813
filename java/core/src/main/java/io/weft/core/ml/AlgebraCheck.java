package io.weft.core.ml;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import io.weft.core.WrongInput;
import java.util.Arrays;

/** Singular values, principal components, and a product of matrices. */
public final class AlgebraCheck {
    /** The values of both are squared or divided by the largest one, so that it is the precision of the largest that counts. */
    private static final double BOUND = 1e-6;
    private static final int SAMPLED = 100;
    private static final long SAMPLE = -3;

    private AlgebraCheck() {
    }

    /** The rows of U that are compared; by chance of the seed, some more than once. */
    public static long[] sampled(MlSpec spec) {
        long[] rows = new long[Math.min(spec.rows(), SAMPLED)];
        Arrays.setAll(rows, at -> (long) (spec.seeded().uniform(SAMPLE, at) * spec.rows()));
        return Arrays.stream(rows).distinct().sorted().toArray();
    }

    /** U times the singular values is the table times V: compared in sampled rows, relative to the length of each. */
    static void svd(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Table table = spec.mixed();
        int rank = spec.rank();
        double[] values = answer.numbers("values");
        double[][] vectors = answer.rows("vector");
        double[][] gram = Moments.products(table, new double[table.columns()]);
        double[] right = Arrays.copyOf(Eigen.values(gram), rank);
        double[] squares = Arrays.stream(values).map(value -> value * value).toArray();
        Near near = new Near(outcome, BOUND);
        near.same("square of singular value", scaled(squares, right[0]), scaled(right, right[0]));
        outcome.same("number of vectors", vectors.length, rank);
        outcome.same("rows of U", answer.wholes("rows", 1)[0], table.rows());
        if (outcome.valid() && squares.length == rank) {
            Eigen.check(gram, squares, vectors, near);
            for (long number : sampled(spec)) {
                back(number, table.row(number), answer.numbers("row " + number), values, vectors, near);
            }
        }
        near.report();
    }

    private static void back(long number, double[] row, double[] found, double[] values, double[][] vectors,
            Near near) {
        double length = Math.max(Double.MIN_NORMAL, Math.sqrt(Product.dot(row, row)));
        double[] multiplied = new double[found.length];
        Arrays.setAll(multiplied, at -> at < values.length ? found[at] * values[at] / length : Double.NaN);
        double[] right = Arrays.stream(vectors).mapToDouble(vector -> Product.dot(row, vector) / length).toArray();
        near.same("row " + number + " of U times the singular values, of the length of the table's row,", multiplied,
                right);
    }

    static void pca(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Table table = spec.mixed();
        double[][] found = answer.rows("component");
        double[][] covariance = Moments.covariance(table, Moments.of(table).mean());
        outcome.same("number of components", found.length, spec.rank());
        Near near = new Near(outcome, BOUND);
        if (outcome.valid()) {
            Eigen.check(covariance, Eigen.values(covariance), found, near);
        }
        near.report();
    }

    private static double[] scaled(double[] values, double by) {
        return Arrays.stream(values).map(value -> value / by).toArray();
    }

    static void product(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Product.check(spec.left(), spec.right(), answer.rows("row"), new Seeded(spec.seed() + 2), outcome);
    }
}
