package io.weft.job;

import io.weft.core.Bounds;
import picocli.CommandLine.Option;

/** A job that reads an input in splits and brings it into partitions. */
public abstract class InputJob<S extends EngineSession> extends EngineJob<S> {
    @Option(names = "--input", required = true)
    private String input;

    @Option(names = "--partitions")
    @Bounds(min = 1, max = 1_000_000)
    private int partitions = 8;

    @Option(names = "--split-bytes")
    @Bounds(min = 1, max = 1L << 40)
    private long splitBytes = 128 << 20;

    /** A directory, a path or a URI. */
    protected final String input() {
        return input;
    }

    /** The number of tasks behind the shuffle. */
    protected final int partitions() {
        return partitions;
    }

    /** The most bytes of the input that one task reads at once. */
    protected final long splitBytes() {
        return splitBytes;
    }
}
