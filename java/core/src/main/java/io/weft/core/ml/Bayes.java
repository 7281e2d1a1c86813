package io.weft.core.ml;

import java.util.Arrays;

/**
 * Multinomial naive Bayes by its formula: logarithms of the shares of labels, and of the smoothed shares of features.
 *
 * @param pi by label
 * @param theta by label and feature
 */
public record Bayes(double[] pi, double[][] theta) {

    /** Of a table of categories: the last column is the label, all others are counts. */
    public static Bayes of(Table table, double lambda) {
        int features = table.columns() - 1;
        double[] rows = new double[Categories.NUMBER];
        double[][] sums = new double[Categories.NUMBER][features];
        for (long number = 0; number < table.rows(); number++) {
            double[] row = table.row(number);
            int label = (int) row[features];
            rows[label]++;
            for (int feature = 0; feature < features; feature++) {
                sums[label][feature] += row[feature];
            }
        }
        double[] pi = Arrays.stream(rows)
                .map(count -> Math.log(count + lambda) - Math.log(table.rows() + rows.length * lambda)).toArray();
        double[][] theta = Arrays.stream(sums).map(sum -> {
            double all = Arrays.stream(sum).sum() + features * lambda;
            return Arrays.stream(sum).map(one -> Math.log(one + lambda) - Math.log(all)).toArray();
        }).toArray(double[][]::new);
        return new Bayes(pi, theta);
    }
}
