package io.weft.stream;

import io.weft.core.Bounds;
import picocli.CommandLine.Option;

/** The options that describe the records of a run. */
public final class StreamOptions {
    @Option(names = "--producers", required = true)
    @Bounds(min = 1, max = 10_000)
    private int producers;

    @Option(names = "--length", required = true)
    @Bounds(min = 3, max = 1_000_000)
    private int length;

    @Option(names = "--values", required = true)
    @Bounds(min = 1, max = 100_000)
    private int values;

    @Option(names = "--field", required = true)
    @Bounds(min = 0, max = 100_000)
    private int field;

    @Option(names = "--seed", required = true)
    private long seed;

    /** What producers publish. */
    public StreamSpec spec() {
        return new StreamSpec(producers, length, values, field, seed);
    }
}
