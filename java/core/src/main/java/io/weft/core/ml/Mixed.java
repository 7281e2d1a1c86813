package io.weft.core.ml;

/** See {@link Table#mixed}. */
record Mixed(Seeded seeded, long rows, int columns) implements Table {
    @Override
    public double[] row(long number) {
        double[] row = new double[columns];
        for (int column = 0; column < columns; column++) {
            double before = column == 0 ? 0 : (row[column - 1] - column + 1) / column;
            boolean zero = column % 5 == 4 && seeded.uniform(number, 2L * columns + column) < 1.0 / 3;
            row[column] = zero ? 0 : (seeded.normal(number, column) + before / 2) * (column + 1) + column;
        }
        return row;
    }
}
