package io.weft.job;

import io.weft.core.Bounds;
import io.weft.core.Outcome;
import io.weft.stream.Control;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Option;

/**
 * Some of Nexmark's queries on a stream of its events, until the collector ends it. The first column of its result is the
 * moment from which its latency counts, and no part of the answer: when the last event that it needs should have been
 * sent, or the event time that closed a window.
 */
public abstract class NexmarkJob<S extends EngineSession> extends TopicJob<S> {
    /** Of the engine's consumer, for engines that commit their offsets. */
    protected static final String GROUP = "nexmark";

    /** By name: the file with the text of a query, in the engine's SQL. */
    @Option(names = "--query", required = true)
    private Map<String, Path> queries;

    /** Names of those whose rows come when the watermark has passed. */
    @Option(names = "--windowed", split = ",")
    private Set<String> windowed = Set.of();

    /** Names of those whose rows are updated: the second column is the key. */
    @Option(names = "--updated", split = ",")
    private Set<String> updated = Set.of();

    /** Whether state is in RocksDB, in files of the engine's local directories, instead of in the heap. */
    @Option(names = "--state", required = true)
    private State state;

    /** Where the engine keeps its state. */
    private enum State {
        HEAP, ROCKSDB
    }

    /** How far the watermark is behind the latest event. */
    @Option(names = "--delay-millis", required = true)
    @Bounds(min = 0)
    private long delayMillis;

    protected final Set<String> names() {
        return queries.keySet();
    }

    protected final String text(String name) throws Exception {
        return Files.readString(queries.get(name));
    }

    protected final boolean windowed(String name) {
        return windowed.contains(name);
    }

    protected final boolean updated(String name) {
        return updated.contains(name);
    }

    protected final boolean rocksdb() {
        return state == State.ROCKSDB;
    }

    protected final long delayMillis() {
        return delayMillis;
    }

    /** A stream of which is known when it has consumed all that there is. */
    protected interface Draining extends Stream {
        /**
         * Waits until all that is in the brokers' log now has been consumed, and is in results that the brokers have;
         * gives the moment at which it was consumed, in microseconds since 1970.
         */
        long drain() throws Exception;

        /**
         * By partition of the events, the offset of the first one that no complete checkpoint or micro-batch has. Called by
         * another thread than the rest.
         *
         * @param brokers a consumer of {@link #GROUP}
         */
        Map<TopicPartition, Long> consumed(Consumer<byte[], byte[]> brokers) throws Exception;

        /** What the check of the answers needs to know of the engine. */
        default Map<String, Object> facts() {
            return Map.of();
        }
    }

    @Override
    protected abstract Draining start(S session) throws Exception;

    @Override
    protected final void work(S session, Outcome outcome) throws Exception {
        try (Control control = control()) {
            Draining stream = phases.time("submit", () -> start(session));
            control.say(Control.READY);
            Properties known = client();
            known.put("group.id", GROUP);
            LagReports reports = new LagReports(known, producers(), control, stream::consumed);
            try {
                phases.measure("stream", () -> {
                    while (follow(control, stream)) {
                        stream.check();
                    }
                    return null;
                });
            } finally {
                reports.close();
            }
            outcome.put("restarts", stream.restarts());
            stream.facts().forEach(outcome::put);
            stream.stop();
        }
    }

    /** Whether the stream goes on, by what the collector says next. */
    private static boolean follow(Control control, Draining stream) throws Exception {
        for (String message : control.hear(POLL_MILLIS)) {
            if (message.equals(Control.END)) {
                return false;
            }
            if (message.startsWith(Control.DRAIN)) {
                control.say(Control.DRAINED + message.substring(Control.DRAIN.length()) + " " + stream.drain());
            }
        }
        return true;
    }
}
