package io.weft.core.ml;

import java.util.Arrays;

/** Pearson's statistic of independence and of fit, by its definition. */
public final class ChiSquare {
    private ChiSquare() {
    }

    /** Of a table of counts; rows and columns without any count are left out, as they have no expectation. */
    public static double independence(double[][] counts) {
        double[] rows = Arrays.stream(counts).mapToDouble(row -> Arrays.stream(row).sum()).toArray();
        double[] columns = new double[counts[0].length];
        for (double[] row : counts) {
            Arrays.setAll(columns, column -> columns[column] + row[column]);
        }
        double all = Arrays.stream(rows).sum();
        double sum = 0;
        for (int row = 0; row < rows.length; row++) {
            for (int column = 0; column < columns.length; column++) {
                double expected = rows[row] * columns[column] / all;
                double off = counts[row][column] - expected;
                sum += expected == 0 ? 0 : off * off / expected;
            }
        }
        return sum;
    }

    /** Of counts against equal expectations. */
    public static double fit(double[] counts) {
        double expected = Arrays.stream(counts).sum() / counts.length;
        return Arrays.stream(counts).map(count -> (count - expected) * (count - expected) / expected).sum();
    }

    /** Counts of a category column by label. */
    public static double[][] counts(Table table, int column) {
        double[][] counts = new double[Categories.NUMBER][Categories.NUMBER];
        for (long number = 0; number < table.rows(); number++) {
            double[] row = table.row(number);
            counts[(int) row[column]][(int) row[table.columns() - 1]]++;
        }
        return counts;
    }
}
