package io.weft.job;

import io.weft.core.Outcome;
import io.weft.stream.Control;
import picocli.CommandLine.Option;

/** Least, greatest, sum and count of one number of every record of a stream, until the collector ends it. */
public abstract class StreamJob<S extends EngineSession> extends TopicJob<S> {
    /** Which number of a record. */
    @Option(names = "--field", required = true)
    private int field;

    /** Whether it begins when the collector says so, and not at once. */
    @Option(names = "--backlog")
    private boolean backlog;

    protected final int field() {
        return field;
    }

    @Override
    protected final void work(S session, Outcome outcome) throws Exception {
        try (Control control = control()) {
            if (backlog) {
                phases.time("backlog", () -> {
                    while (!control.hear(POLL_MILLIS).contains(Control.GO)) {
                        // weft ends the run if the collector ends before
                    }
                    return null;
                });
            }
            Stream stream = phases.time("submit", () -> start(session));
            control.say(Control.READY);
            phases.measure("stream", () -> {
                while (!control.hear(POLL_MILLIS).contains(Control.END)) {
                    stream.check();
                }
                return null;
            });
            outcome.put("restarts", stream.restarts());
            stream.stop();
        }
    }
}
