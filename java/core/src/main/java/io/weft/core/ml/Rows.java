package io.weft.core.ml;

import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Goes once over all rows of a table, on all processors. */
final class Rows {
    private Rows() {
    }

    /** Takes each row into what was empty before; what several threads have is joined in the order of the rows. */
    static <T> T fold(Table table, Supplier<T> empty, BiConsumer<T, double[]> take, BinaryOperator<T> join) {
        return LongStream.range(0, table.rows()).parallel().collect(empty,
                (all, number) -> take.accept(all, table.row(number)), join::apply);
    }

    /** Sums in an array of lines and columns. */
    static double[][] sums(Table table, int lines, int columns, BiConsumer<double[][], double[]> take) {
        return fold(table, () -> new double[lines][columns], take, Rows::added);
    }

    /** Adds numbers to others in their places. */
    static double[][] added(double[][] to, double[][] others) {
        for (int line = 0; line < to.length; line++) {
            for (int column = 0; column < to[line].length; column++) {
                to[line][column] += others[line][column];
            }
        }
        return to;
    }
}
