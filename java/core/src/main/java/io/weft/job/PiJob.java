package io.weft.job;

import io.weft.core.Bounds;
import io.weft.core.Halton;
import io.weft.core.Outcome;
import picocli.CommandLine.Option;

/** Counts the points of a Halton sequence that lie in a circle; each task has a range of the sequence. */
public abstract class PiJob<S extends EngineSession> extends EngineJob<S> {
    @Option(names = "--points", required = true)
    @Bounds(min = 1, max = Halton.MOST)
    private long points;

    @Option(names = "--tasks")
    @Bounds(min = 1, max = 1_000_000)
    private int tasks = 8;

    /** The engine's work, measured; gives how many points lie in the circle. */
    protected abstract long inside(S session, long points, int tasks) throws Exception;

    @Override
    protected void work(S session, Outcome outcome) throws Exception {
        long inside = inside(session, points, tasks);
        outcome.put("points", points).put("inside", inside).put("pi", 4.0 * inside / points);
    }
}
