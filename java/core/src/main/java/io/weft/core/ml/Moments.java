package io.weft.core.ml;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;

/**
 * What the columns of a table have, computed in two passes.
 *
 * @param count rows
 * @param mean of each column
 * @param variance with the number of rows less one as divisor
 * @param least of each column
 * @param greatest of each column
 * @param nonzeros numbers that are not zero
 * @param absolute sum of absolute values
 * @param norm square root of the sum of squares
 */
public record Moments(long count, double[] mean, double[] variance, double[] least, double[] greatest,
        double[] nonzeros, double[] absolute, double[] norm) {

    /** Of a table. */
    public static Moments of(Table table) {
        int width = table.columns();
        double[][] sums = Rows.sums(table, 4, width, (all, row) -> {
            for (int column = 0; column < width; column++) {
                double value = row[column];
                all[0][column] += value;
                all[1][column] += value == 0 ? 0 : 1;
                all[2][column] += Math.abs(value);
                all[3][column] += value * value;
            }
        });
        double[] mean = Arrays.stream(sums[0]).map(sum -> sum / table.rows()).toArray();
        double[] norm = Arrays.stream(sums[3]).map(Math::sqrt).toArray();
        double[][] products = covariance(table, mean);
        double[] variance = new double[width];
        Arrays.setAll(variance, column -> products[column][column]);
        return new Moments(table.rows(), mean, variance, extreme(table, Math::min), extreme(table, Math::max), sums[1],
                sums[2], norm);
    }

    private static double[] extreme(Table table, DoubleBinaryOperator best) {
        double[] first = table.row(0);
        return Rows.fold(table, first::clone, (all, row) -> choose(all, row, best), (one, other) -> {
            choose(one, other, best);
            return one;
        });
    }

    private static void choose(double[] all, double[] row, DoubleBinaryOperator best) {
        Arrays.setAll(all, column -> best.applyAsDouble(all[column], row[column]));
    }

    /** Covariances of a table's columns around these means. */
    public static double[][] covariance(Table table, double[] mean) {
        double[][] sums = products(table, mean);
        for (double[] row : sums) {
            for (int column = 0; column < row.length; column++) {
                row[column] /= table.rows() - 1;
            }
        }
        return sums;
    }

    /** Sums of products of a table's columns, less these numbers. */
    public static double[][] products(Table table, double[] less) {
        int width = table.columns();
        double[][] sums = Rows.sums(table, width, width, (all, row) -> {
            for (int one = 0; one < width; one++) {
                double first = row[one] - less[one];
                for (int other = 0; other <= one; other++) {
                    all[one][other] += first * (row[other] - less[other]);
                }
            }
        });
        for (int one = 0; one < width; one++) {
            for (int other = 0; other < one; other++) {
                sums[other][one] = sums[one][other];
            }
        }
        return sums;
    }

    /** Correlations of a table's columns (Pearson). */
    public static double[][] correlation(Table table) {
        Moments moments = of(table);
        double[][] all = covariance(table, moments.mean());
        double[][] found = new double[all.length][all.length];
        for (int one = 0; one < all.length; one++) {
            for (int other = 0; other < all.length; other++) {
                found[one][other] = one == other ? 1
                        : all[one][other] / Math.sqrt(all[one][one]) / Math.sqrt(all[other][other]);
            }
        }
        return found;
    }
}
