package io.weft.core.ml;

import java.io.Serializable;

/** Rows of numbers that can be drawn again, in any order. */
public interface Table extends Serializable {
    /** The number of rows. */
    long rows();

    /** The number of columns. */
    int columns();

    /** A row. */
    double[] row(long number);

    /** Normal numbers with a scale and a place of their own in each column, which also depend on the column before; a third of every fifth column is zero. */
    static Table mixed(long seed, long rows, int columns) {
        return new Mixed(new Seeded(seed), rows, columns);
    }

    /** Category numbers from 0 to 5, the last column a label that agrees with the first one in half of the rows. */
    static Table categories(long seed, long rows, int columns) {
        return new Categories(new Seeded(seed), rows, columns);
    }
}
