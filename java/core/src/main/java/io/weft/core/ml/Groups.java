package io.weft.core.ml;

import java.util.Arrays;

/**
 * The rows of a table by the group in its last column.
 *
 * @param shares of all rows, by group
 * @param means by group and column
 * @param covariances by group, column and column: sums of products over the number of rows
 */
public record Groups(double[] shares, double[][] means, double[][][] covariances) {

    /** Of a table of groups. */
    public static Groups of(Table table) {
        int columns = table.columns() - 1;
        // behind the columns of each group the number of its rows
        double[][] sums = Rows.sums(table, Planted.GROUPS, columns + 1, (all, row) -> {
            double[] group = all[(int) row[columns]];
            for (int at = 0; at < columns; at++) {
                group[at] += row[at];
            }
            group[columns]++;
        });
        double[] counts = Arrays.stream(sums).mapToDouble(group -> group[columns]).toArray();
        double[][] means = Arrays.stream(sums).map(group -> Arrays.copyOf(group, columns)).toArray(double[][]::new);
        for (int group = 0; group < counts.length; group++) {
            scale(means[group], Math.max(1, counts[group]));
        }
        double[][][] covariances = covariances(table, counts, means);
        scale(counts, table.rows());
        return new Groups(counts, means, covariances);
    }

    private static double[][][] covariances(Table table, double[] counts, double[][] means) {
        int columns = table.columns() - 1;
        double[][][] sums = Rows.fold(table, () -> new double[counts.length][columns][columns], (all, row) -> {
            int group = (int) row[columns];
            for (int one = 0; one < columns; one++) {
                for (int other = 0; other < columns; other++) {
                    all[group][one][other] += (row[one] - means[group][one]) * (row[other] - means[group][other]);
                }
            }
        }, (one, other) -> {
            for (int group = 0; group < one.length; group++) {
                Rows.added(one[group], other[group]);
            }
            return one;
        });
        for (int group = 0; group < counts.length; group++) {
            for (double[] row : sums[group]) {
                scale(row, Math.max(1, counts[group]));
            }
        }
        return sums;
    }

    private static void scale(double[] sums, double by) {
        Arrays.setAll(sums, at -> sums[at] / by);
    }

    /** Compares centres, in any order, with the means. */
    public void recovered(double[][] centres, Near near) {
        near.same("centres", centres.length, means.length);
        for (int group = 0; group < means.length; group++) {
            int at = nearest(centres, means[group]);
            near.same("centre of group " + group, at < 0 ? new double[0] : centres[at], means[group]);
        }
    }

    /** Compares a mixture, its parts in any order, with the shares, the means and the covariances. */
    public void mixed(Groups found, Near near) {
        recovered(found.means, near);
        for (int group = 0; group < means.length; group++) {
            int at = nearest(found.means, means[group]);
            near.same("share of group " + group, at < 0 ? 0 : found.shares[at], shares[group]);
            for (int row = 0; at >= 0 && row < means[group].length; row++) {
                near.same("covariance of group " + group + " in row " + row, found.covariances[at][row],
                        covariances[group][row]);
            }
        }
    }

    private static int nearest(double[][] centres, double[] mean) {
        int best = -1;
        for (int at = 0; at < centres.length; at++) {
            if (best < 0 || far(centres[at], mean) < far(centres[best], mean)) {
                best = at;
            }
        }
        return best;
    }

    private static double far(double[] one, double[] other) {
        double sum = 0;
        for (int at = 0; at < other.length; at++) {
            sum += (one[at] - other[at]) * (one[at] - other[at]);
        }
        return sum;
    }
}
