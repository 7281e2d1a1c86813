package io.weft.job;

import io.weft.core.LineTally;
import picocli.CommandLine.Option;

/** Counts the strings that match a regular expression. */
public abstract class GrepJob<S extends EngineSession> extends TextJob<S> {
    @Option(names = "--pattern", required = true)
    private String pattern;

    /** The regular expression. */
    protected final String pattern() {
        return pattern;
    }

    @Override
    protected void prepare() throws Exception {
        LineTally.pattern(pattern);
        super.prepare();
    }
}
