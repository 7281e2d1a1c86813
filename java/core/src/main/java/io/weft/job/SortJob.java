package io.weft.job;

import io.weft.core.Outcome;

/** Sorts the lines of a text: as many bytes have to come out as went in. */
public abstract class SortJob<S extends EngineSession> extends TextJob<S> {
    @Override
    protected void judge(long in, long out, Outcome outcome) {
        outcome.same("bytes written", out, in);
    }
}
