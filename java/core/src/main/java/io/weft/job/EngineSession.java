package io.weft.job;

import io.weft.core.Outcome;

/** What an engine keeps open for the length of a job. */
public interface EngineSession extends AutoCloseable {
    /** Puts what the engine itself counted; called after {@link #close}, when all has been counted. */
    void report(Outcome outcome) throws Exception;

    @Override
    void close();
}
