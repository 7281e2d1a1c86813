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

    /** By column but the last one, which is the label: the counts of its categories by label. */
    static double[][][] counts(Table table) {
        int features = table.columns() - 1;
        double[][] counts = Rows.sums(table, features * Categories.NUMBER, Categories.NUMBER, (all, row) -> {
            for (int feature = 0; feature < features; feature++) {
                all[feature * Categories.NUMBER + (int) row[feature]][(int) row[features]]++;
            }
        });
        double[][][] found = new double[features][][];
        Arrays.setAll(found, feature -> Arrays.copyOfRange(counts, feature * Categories.NUMBER,
                (feature + 1) * Categories.NUMBER));
        return found;
    }
}
