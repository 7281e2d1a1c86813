package io.weft.core.ml;

import java.io.Serializable;

/**
 * A test of MLlib: which one, and of which data. The same data is drawn by the job and by what checks its answer.
 *
 * @param test its name
 * @param rows vectors, baskets, sequences, vertices, users, documents, sentences or numbers
 * @param columns numbers of a vector, different items, words or products, or edges of a vertex
 * @param rank singular values, components, hidden numbers, or numbers of a word's vector; at most as many as columns
 * @param block rows and columns of a block of a matrix
 * @param support share of baskets or sequences from which a pattern is frequent
 * @param longest most items of a pattern of sequences
 * @param partitions of the data
 * @param seed of the data
 */
public record MlSpec(String test, int rows, int columns, int rank, int block, double support, int longest,
        int partitions, long seed) implements Serializable {
    /** Rows that nobody has seen, to try a decision tree on. */
    private static final int FRESH = 20_000;
    private static final int COUNTS = 1000;

    /** The dice of the data. */
    public Seeded seeded() {
        return new Seeded(seed);
    }

    /** Numbers of many scales. */
    public Table mixed() {
        return Table.mixed(seed, rows, columns);
    }

    /** Categories with a label. */
    public Table categories() {
        return Table.categories(seed, rows, columns);
    }

    /** A table with an answer in it. */
    public Planted planted(Planted.What what) {
        return new Planted(seeded(), rows, columns, what);
    }

    /** Rows of a tree's table that are not in it. */
    Planted fresh() {
        return new Planted(new Seeded(seed + 1), FRESH, columns, Planted.What.TREE);
    }

    /** The first factor of a product. */
    public Table left() {
        return Table.categories(seed, rows, columns);
    }

    /** The second factor of a product. */
    public Table right() {
        return Table.categories(seed + 1, columns, columns);
    }

    /** A count of a table of counts. */
    public double count(long row, long column) {
        return 1 + seeded().below(row, column, COUNTS);
    }

    /** Baskets of items. */
    public Baskets baskets() {
        return new Baskets(seeded(), rows, columns);
    }

    /** Sequences of sets of items. */
    public Sequences sequences() {
        return new Sequences(seeded(), rows, columns);
    }

    /** From how many baskets or sequences on a pattern is frequent: as MLlib rounds, up. */
    long least() {
        return (long) Math.ceil(support * rows);
    }

    /** Ratings of products. */
    public Ratings ratings() {
        return new Ratings(seeded(), rows, columns, rank);
    }

    /** A graph of communities. */
    public Communities communities() {
        return new Communities(seeded(), rows, columns);
    }

    /** Documents on topics. */
    public Documents documents() {
        return new Documents(seeded(), rows, columns);
    }

    /** Sentences of synonyms. */
    public Synonyms sentences() {
        return new Synonyms(seeded(), rows, columns);
    }

    /** The first row of a partition; of the one after the last, the number of rows. */
    public long first(int partition) {
        return (long) partition * rows / partitions;
    }
}
