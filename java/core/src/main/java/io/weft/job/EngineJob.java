package io.weft.job;

import io.weft.core.Bounds;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import picocli.CommandLine.Option;

/**
 * A job of an engine: options, session, timing and outcome are here and in the class of the workload, so that an engine's
 * own class holds what the engine does and nothing else.
 *
 * @param <S> what the engine keeps open
 */
public abstract class EngineJob<S extends EngineSession> extends Program {
    /** Times of the parts of the job. */
    protected final Phases phases = new Phases();

    @Option(names = "--executors")
    @Bounds(min = 0, max = 1_000_000)
    private int executors = 1;

    /** How many executors to wait for before anything is measured, for engines that start them for the job. */
    protected final int executors() {
        return executors;
    }

    /** Opens a session. */
    protected abstract S open() throws Exception;

    /** Checks, before the session is opened, what can be checked by then. */
    protected void prepare() throws Exception {
    }

    /** The work in the session. */
    protected abstract void work(S session, Outcome outcome) throws Exception;

    /** Removes what an attempt may have left; called also when the work failed. */
    protected void tidy() throws Exception {
    }

    /** Puts what is known only when the session has been closed. */
    protected void closed(Outcome outcome) {
    }

    @Override
    public final void run(Outcome outcome) throws Exception {
        prepare();
        S session = phases.time("start", this::open);
        try (session) {
            work(session, outcome);
        } finally {
            tidy();
        }
        phases.report(outcome);
        session.report(outcome);
        closed(outcome);
    }
}
