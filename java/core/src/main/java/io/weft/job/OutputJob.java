package io.weft.job;

import io.weft.core.Attempt;
import io.weft.core.Store;
import picocli.CommandLine.Option;

/** A job that writes one part a partition into a directory that is empty or not there. */
public abstract class OutputJob<S extends EngineSession> extends InputJob<S> {
    @Option(names = "--output", required = true)
    private String output;

    /** The directory of the parts. */
    protected final String output() {
        return output;
    }

    @Override
    protected void prepare() throws Exception {
        Attempt.requireEmpty(output);
    }

    @Override
    protected void tidy() throws Exception {
        Store.of(output).delete(Attempt.aside(output));
    }
}
