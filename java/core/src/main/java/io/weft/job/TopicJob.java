package io.weft.job;

import io.weft.core.Bounds;
import io.weft.stream.Control;
import java.nio.file.Path;
import java.util.Properties;
import picocli.CommandLine.Option;

/** A job on records of a topic: what the engine's stream needs to begin, and how it is watched and ended. */
public abstract class TopicJob<S extends EngineSession> extends EngineJob<S> {
    /** Between two looks at what the other programs say. */
    protected static final long POLL_MILLIS = 200;

    /** The file with the properties of Kafka's clients. */
    @Option(names = "--client", required = true)
    private Path client;

    @Option(names = "--producers", required = true)
    @Bounds(min = 1, max = 10_000)
    private int producers;

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

    /** What the collector and producers have to agree with. */
    protected final int producers() {
        return producers;
    }

    protected final long intervalMillis() {
        return intervalMillis;
    }

    /** As a URI. */
    protected final String checkpoints() {
        return checkpoints.contains("://") ? checkpoints : "file://" + checkpoints;
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

    /** What this program says to the others, and hears from them. */
    protected final Control control() throws Exception {
        return new Control(client);
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
}
