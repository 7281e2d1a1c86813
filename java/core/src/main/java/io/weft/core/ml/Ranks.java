package io.weft.core.ml;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** A table with the rank of each number in its column in place of the number; equal numbers share their mean rank. */
public final class Ranks implements Table {
    private static final long serialVersionUID = 1;
    private final double[][] columns;

    /** Of a table, all of which is in memory meanwhile. */
    public Ranks(Table table) {
        double[][] rows = new double[(int) table.rows()][];
        Arrays.parallelSetAll(rows, table::row);
        columns = new double[table.columns()][];
        Arrays.parallelSetAll(columns, column -> ranks(Arrays.stream(rows).mapToDouble(row -> row[column]).toArray()));
    }

    private static double[] ranks(double[] numbers) {
        double[] sorted = numbers.clone();
        Arrays.sort(sorted);
        Map<Double, Double> ranks = new HashMap<>();
        for (int begin = 0, end; begin < sorted.length; begin = end) {
            end = begin;
            while (end < sorted.length && sorted[end] == sorted[begin]) {
                end++;
            }
            for (int at = begin; at < end; at++) { // both zeros
                ranks.put(sorted[at], (begin + end - 1) / 2.0);
            }
        }
        return Arrays.stream(numbers).map(ranks::get).toArray();
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
