package io.weft.core.ml;

import java.util.Arrays;
import java.util.Comparator;

/** A table with the rank of each number in its column in place of the number; equal numbers share their mean rank. */
public final class Ranks implements Table {
    private static final long serialVersionUID = 1;
    private final double[][] columns;

    /** Of a table, all of which is in memory meanwhile. */
    public Ranks(Table table) {
        columns = new double[table.columns()][];
        double[][] rows = new double[(int) table.rows()][];
        Arrays.setAll(rows, table::row);
        for (int column = 0; column < columns.length; column++) {
            columns[column] = ranks(rows, column);
        }
    }

    private static double[] ranks(double[][] rows, int column) {
        Integer[] order = new Integer[rows.length];
        Arrays.setAll(order, row -> row);
        Arrays.sort(order, Comparator.comparingDouble(row -> rows[row][column]));
        double[] ranks = new double[rows.length];
        for (int begin = 0, end; begin < order.length; begin = end) {
            end = begin;
            while (end < order.length && rows[order[end]][column] == rows[order[begin]][column]) {
                end++;
            }
            for (int at = begin; at < end; at++) {
                ranks[order[at]] = (begin + end - 1) / 2.0;
            }
        }
        return ranks;
    }

    @Override
    public long rows() {
        return columns.length == 0 ? 0 : columns[0].length;
    }

    @Override
    public int columns() {
        return columns.length;
    }

    @Override
    public double[] row(long number) {
        return Arrays.stream(columns).mapToDouble(column -> column[(int) number]).toArray();
    }
}
