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
        // behind the features of each label the number of its rows
        double[][] counted = Rows.sums(table, Categories.NUMBER, features + 1, (sums, row) -> {
            double[] label = sums[(int) row[features]];
            for (int feature = 0; feature < features; feature++) {
                label[feature] += row[feature];
            }
            label[features]++;
        });
        double[] rows = Arrays.stream(counted).mapToDouble(label -> label[features]).toArray();
        double[][] sums = Arrays.stream(counted).map(label -> Arrays.copyOf(label, features)).toArray(double[][]::new);
        double[] pi = Arrays.stream(rows)
                .map(count -> Math.log(count + lambda) - Math.log(table.rows() + rows.length * lambda)).toArray();
        double[][] theta = Arrays.stream(sums).map(sum -> {
            double all = Arrays.stream(sum).sum() + features * lambda;
            return Arrays.stream(sum).map(one -> Math.log(one + lambda) - Math.log(all)).toArray();
        }).toArray(double[][]::new);
        return new Bayes(pi, theta);
    }
}
