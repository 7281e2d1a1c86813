package io.weft.nexmark;

import io.weft.core.Bounds;
import picocli.CommandLine.Option;

/** The options that describe the events of a run. */
public final class NexmarkOptions {
    @Option(names = "--producers", required = true)
    @Bounds(min = 1, max = 10_000)
    private int producers;

    @Option(names = "--seed", required = true)
    private long seed;

    /** By how much the time of an event may be before that of earlier ones. */
    @Option(names = "--disorder-millis")
    @Bounds(min = 0)
    private long disorder;

    /** One event in so many is late; 0: none. */
    @Option(names = "--late-every")
    @Bounds(min = 0)
    private long lateEvery;

    /** How late those are. */
    @Option(names = "--late-millis")
    @Bounds(min = 0)
    private long lateMillis;

    /** What producers publish. */
    public NexmarkSpec spec() {
        return new NexmarkSpec(producers, seed, disorder, lateEvery, lateMillis);
    }
}
