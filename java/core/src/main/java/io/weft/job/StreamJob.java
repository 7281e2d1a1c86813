package io.weft.job;

import io.weft.core.Bounds;
import io.weft.core.Outcome;
import io.weft.stream.Control;
import java.nio.file.Path;
import java.util.Properties;
import picocli.CommandLine.Option;

/** Least, greatest, sum and count of one number of every record of a stream, until the collector ends it. */
public abstract class StreamJob<S extends EngineSession> extends EngineJob<S> {
    private static final long POLL_MILLIS = 200;

    /** The file with the properties of Kafka's clients. */
    @Option(names = "--client", required = true)
    private Path client;

    @Option(names = "--producers", required = true)
    @Bounds(min = 1, max = 10_000)
    private int producers;

    /** Which number of a record. */
    @Option(names = "--field", required = true)
    private int field;

    /** Time between results; 0: one for each record. */
    @Option(names = "--interval-millis", required = true)
    @Bounds(min = 0)
    private long intervalMillis;

    /** Where the engine keeps its state, for all nodes. */
    @Option(names = "--checkpoints", required = true)
    private String checkpoints;

    @Option(names = "--checkpoint-millis", required = true)
    @Bounds(min = 1)
    private long checkpointMillis;

    @Option(names = "--tasks", required = true)
    @Bounds(min = 1, max = 10_000)
    private int tasks;

    /** Whether it begins when the collector says so, and not at once. */
    @Option(names = "--backlog")
    private boolean backlog;

    /** What the collector and producers have to agree with. */
    protected final int producers() {
        return producers;
    }

    protected final int field() {
        return field;
    }

    protected final long intervalMillis() {
        return intervalMillis;
    }

    protected final String checkpoints() {
        return checkpoints;
    }

    protected final long checkpointMillis() {
        return checkpointMillis;
    }

    protected final int tasks() {
        return tasks;
    }

    /** Properties with which a client reaches the brokers. */
    protected final Properties client() throws Exception {
        return Control.properties(client);
    }

    /** Starts the stream, and returns when the engine consumes. */
    protected abstract Stream start(S session) throws Exception;

    /** A stream that runs. */
    protected interface Stream {
        /** Throws the failure that ended it, if it has ended. */
        void check() throws Exception;

        /** How often the engine started it again after a failure. */
        int restarts() throws Exception;

        /** Ends it. */
        void stop() throws Exception;
    }

    @Override
    protected final void work(S session, Outcome outcome) throws Exception {
        try (Control control = new Control(client)) {
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
