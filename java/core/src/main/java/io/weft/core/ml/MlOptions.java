package io.weft.core.ml;

import io.weft.core.Bounds;
import picocli.CommandLine.Option;

/** The options of a test of MLlib. */
public final class MlOptions {
    @Option(names = "--test", required = true)
    private String test;

    @Option(names = "--rows", required = true)
    @Bounds(min = 2, max = 100_000_000)
    private int rows;

    @Option(names = "--columns", required = true)
    @Bounds(min = 2, max = 100_000)
    private int columns;

    @Option(names = "--rank")
    @Bounds(min = 1, max = 1000)
    private int rank = 10;

    @Option(names = "--block")
    @Bounds(min = 1, max = 100_000)
    private int block = 1024;

    @Option(names = "--support")
    @Bounds(min = 0, max = 1)
    private double support = 0.01;

    @Option(names = "--longest")
    @Bounds(min = 1, max = 100)
    private int longest = 10;

    @Option(names = "--partitions")
    @Bounds(min = 1, max = 1_000_000)
    private int partitions = 8;

    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed = 5;

    /** The test that they ask for. */
    public MlSpec spec() {
        return new MlSpec(test, rows, columns, Math.min(rank, columns), block, support, longest, partitions, seed);
    }
}
