package io.weft.core.ml;

import io.weft.core.UsageError;

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
        int group = group(number);
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

    private int group(long number) {
        return seeded.below(number, columns - 1L, GROUPS);
    }

    /** The first row of a group. */
    public long member(int group) {
        for (long number = 0; number < rows; number++) {
            if (group(number) == group) {
                return number;
            }
        }
        throw new UsageError("There is no row of group " + group + " among " + rows + ": more rows are needed.");
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

    /**
     * The gradient of the loss at weights (one for each feature, then the intercept), for each row: zero where
     * the loss is least, whatever the noise was.
     */
    public double[] gradient(double[] weights) {
        int features = columns - 1;
        return Rows.sums(this, 1, columns, (all, row) -> {
            double sum = weights[features];
            for (int feature = 0; feature < features; feature++) {
                sum += weights[feature] * row[feature];
            }
            double off = (what == What.ODDS ? logistic(sum) : sum) - row[features];
            for (int feature = 0; feature < features; feature++) {
                all[0][feature] += off * row[feature] / rows;
            }
            all[0][features] += off / rows;
        })[0];
    }
}
