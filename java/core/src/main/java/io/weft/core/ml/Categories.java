package io.weft.core.ml;

/** See {@link Table#categories}. */
record Categories(Seeded seeded, long rows, int columns) implements Table {
    static final int NUMBER = 6;

    @Override
    public double[] row(long number) {
        double[] row = new double[columns];
        for (int column = 0; column < columns; column++) {
            row[column] = seeded.below(number, column, NUMBER);
        }
        if (seeded.uniform(number, columns) < 0.5) {
            row[columns - 1] = row[0];
        }
        return row;
    }
}
