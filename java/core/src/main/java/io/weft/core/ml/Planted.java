package io.weft.core.ml;

import java.util.Arrays;

/**
 * Tables with an answer that was put into them; the last column is a label, and not for the methods that have to find it.
 *
 * @param seeded draws all numbers
 * @param rows of the table
 * @param columns with the label
 * @param what was put into it
 */
public record Planted(Seeded seeded, long rows, int columns, What what) implements Table {
    private static final long WEIGHTS = -1;
    private static final long CENTRES = -2;
    private static final int SPREAD = 1000;
    private static final double NOISE = 0.1;

    /** What was put into a table. */
    public enum What {
        /** The label is a sum of weighted features and a little noise. */
        LINE,
        /** The label is 1 with a probability that is the logistic function of such a sum. */
        ODDS,
        /** The label is decided by three of four features, as by a tree of depth two; the other features mean nothing. */
        TREE,
        /** The label is the number of the group around whose centre the row is; groups are far apart. */
        GROUPS,
    }

    /** The number of groups. */
    public static final int GROUPS = 10;

    @Override
    public double[] row(long number) {
        int features = columns - 1;
        double[] row = new double[columns];
        int group = seeded.below(number, features, GROUPS);
        double sum = 0;
        for (int feature = 0; feature < features; feature++) {
            double normal = seeded.normal(number, columns + (long) feature);
            row[feature] = switch (what) {
                case TREE -> seeded.uniform(number, feature);
                case GROUPS -> SPREAD * seeded.uniform(CENTRES - group, feature) + normal;
                default -> normal;
            };
            sum += weight(feature) * row[feature];
        }
        row[features] = switch (what) {
            case LINE -> sum + NOISE * seeded.normal(number, 4L * columns);
            case ODDS -> seeded.uniform(number, 4L * columns) < logistic(sum) ? 1 : 0;
            case TREE -> tree(row);
            case GROUPS -> group;
        };
        return row;
    }

    private double weight(int feature) {
        return 2 * seeded.uniform(WEIGHTS, feature) - 1;
    }

    private static double tree(double[] row) {
        boolean upper = row[0] > 0.25 ? row[1] > 0.75 : row[2] > 0.5;
        return upper ? 1 : 0;
    }

    static double logistic(double sum) {
        return 1 / (1 + Math.exp(-sum));
    }

    /** The label that a table of {@link What#TREE} gives to a row. */
    public static double decided(double[] row) {
        return tree(row);
    }

    /** The mean of each group, in order. */
    public double[][] means() {
        double[][] sums = new double[GROUPS][columns - 1];
        long[] counts = new long[GROUPS];
        for (long number = 0; number < rows; number++) {
            double[] row = row(number);
            int group = (int) row[columns - 1];
            counts[group]++;
            Arrays.setAll(sums[group], at -> sums[group][at] + row[at]);
        }
        for (int group = 0; group < GROUPS; group++) {
            long count = Math.max(1, counts[group]);
            double[] sum = sums[group];
            Arrays.setAll(sum, at -> sum[at] / count);
        }
        return sums;
    }

    /**
     * The gradient of the loss at weights (one for each feature, then the intercept), for each row: zero where
     * the loss is least, whatever the noise was.
     */
    public double[] gradient(double[] weights) {
        int features = columns - 1;
        double[] found = new double[columns];
        for (long number = 0; number < rows; number++) {
            double[] row = row(number);
            double sum = weights[features];
            for (int feature = 0; feature < features; feature++) {
                sum += weights[feature] * row[feature];
            }
            double off = (what == What.ODDS ? logistic(sum) : sum) - row[features];
            for (int feature = 0; feature < features; feature++) {
                found[feature] += off * row[feature] / rows;
            }
            found[features] += off / rows;
        }
        return found;
    }

    /** Compares centres, in any order, with the means of the groups. */
    public void recovered(double[][] centres, Near near) {
        double[][] left = means();
        near.same("centres", centres.length, left.length);
        for (int group = 0; group < left.length; group++) {
            double[] mean = left[group];
            double[] nearest = Arrays.stream(centres).min((one, other) -> Double.compare(far(one, mean), far(other, mean)))
                    .orElse(new double[0]);
            near.same("centre of group " + group, nearest, mean);
        }
    }

    private static double far(double[] one, double[] other) {
        double sum = 0;
        for (int at = 0; at < other.length; at++) {
            sum += (one[at] - other[at]) * (one[at] - other[at]);
        }
        return sum;
    }
}
