package io.weft.kafka;

import io.weft.core.Bounds;
import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.core.Progress;
import io.weft.core.WrongInput;
import io.weft.nexmark.NexmarkOptions;
import io.weft.nexmark.NexmarkSpec;
import io.weft.stream.Control;
import io.weft.stream.Step;
import io.weft.stream.Topics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Says when producers publish events, receives the rows of the engine's result, and measures the latency of each. At last
 * some events of a later time close all windows. It may look for the highest rate that is sustained.
 */
public final class NexmarkCollect extends Program {
    private static final long LEAD_MICROS = 500_000;
    private static final long POLL_MILLIS = 50;
    /** Quarters of a step that are compared: engines are not warm in the first. */
    private static final int SECOND = 1;
    private static final int LAST = 3;
    /** Share of the time of a step for which each share of the highest rate is offered. */
    private static final double OF_LEVEL = 0.5;
    private static final double[] LEVELS = {0.5, 0.8, 0.95};
    private static final double CLOSING_RATE = 10_000;
    private static final long MOST_EVENTS = 500_000_000L;

    @Option(names = "--client", required = true)
    private Path client;

    @Mixin
    private NexmarkOptions events;

    /** Events per second of each producer; in a search, the first rate. */
    @Option(names = "--rate", required = true)
    private double rate;

    @Option(names = "--seconds", required = true)
    private double seconds;

    @Option(names = "--warmup-seconds", required = true)
    private double warmup;

    /** Whether to look for the highest rate. */
    @Option(names = "--search")
    private boolean search;

    /** Microseconds between results. */
    @Option(names = "--interval-micros")
    @Bounds(min = 0)
    private long interval;

    @Option(names = "--checkpoint-micros", required = true)
    @Bounds(min = 0)
    private long checkpoint;

    /** Queries of windows: the moment of a row is the event time that closes its window, without the watermark's delay. */
    @Option(names = "--windowed", split = ",")
    private Set<String> windowed = Set.of();

    @Option(names = "--delay-millis")
    @Bounds(min = 0)
    private long delay;

    /** By how much later events close all windows. */
    @Option(names = "--gap-millis", required = true)
    @Bounds(min = 1)
    private long gap;

    /** Of which the time of the events that close all windows is a multiple. */
    @Option(names = "--window-millis", required = true)
    @Bounds(min = 1)
    private long window;

    @Option(names = "--programs", required = true)
    private int programs;

    @Option(names = "--patience-seconds")
    private double patience = 120;

    @Option(names = "--log", required = true)
    private Path log;

    private final Progress progress = new Progress(0);
    private final List<Map<String, Object>> steps = new ArrayList<>();
    private final Lags lags = new Lags();
    private Control control;
    private KafkaConsumer<byte[], byte[]> results;
    private List<TopicPartition> partitions;
    private int producers;
    private int number;
    private long published;
    private long eventMillis = NexmarkSpec.BEGIN_MILLIS;

    public static void main(String[] args) {
        main(new NexmarkCollect(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        producers = events.spec().producers();
        var bytes = new ByteArrayDeserializer();
        try (Control messages = new Control(client);
                KafkaConsumer<byte[], byte[]> in = new KafkaConsumer<>(Control.properties(client), bytes, bytes)) {
            control = messages;
            results = in;
            partitions = IntStream.range(0, producers).mapToObj(i -> new TopicPartition(Topics.RESULTS, i)).toList();
            in.assign(partitions);
            in.seekToBeginning(partitions);
            while (!control.hear(POLL_MILLIS).contains(Control.READY)) {
                // weft ends the run if the driver ends before
            }
            outcome.put("clocks", Clocks.compare(control, programs));
            try {
                measure(outcome);
            } catch (WrongInput lost) {
                // the validator, which reads both topics again, says where
                outcome.put("lost", lost.getMessage());
            }
            control.say(Control.END);
        }
        outcome.put("steps", steps).put("lag", lags.report()).put("each", published).put("fallbacks", 0);
    }

    private void measure(Outcome outcome) throws Exception {
        if (warmup > 0) {
            take(rate, warmup);
            steps.clear();
        }
        Latencies found = search ? search() : take(rate, seconds);
        found.report().forEach(outcome::put);
        // events, not rows of the result
        Map<String, Object> row = best();
        outcome.put("throughput", row.get("throughput"));
        found.write(log);
        if (search) {
            outcome.put("levels", levels((double) row.get("rate") / producers));
        }
        close();
    }

    /** The row of the highest rate that was sustained, or of the only one. */
    private Map<String, Object> best() {
        Map<String, Object> best = steps.get(steps.size() - 1);
        for (Map<String, Object> row : steps) {
            boolean better = (double) row.get("rate") > (double) best.get("rate") || !(boolean) best.get("sustained");
            best = (boolean) row.get("sustained") && better ? row : best;
        }
        return best;
    }

    /** Tries rates; gives the latencies of the highest one that was sustained. */
    private Latencies search() throws Exception {
        Search rates = new Search(rate);
        Latencies best = null;
        while (rates.more() && published <= MOST_EVENTS / producers) {
            Latencies found = take(rates.next(), seconds);
            boolean sustained = (boolean) steps.get(steps.size() - 1).get("sustained");
            best = sustained ? found : best;
            rates.tried(sustained);
        }
        if (best == null) {
            throw new WrongInput("No rate, down to " + rates.missed() + " events/s of each producer, was sustained.");
        }
        return best;
    }

    /** The latencies at shares of the highest rate. */
    private List<Map<String, Object>> levels(double highest) throws Exception {
        List<Map<String, Object>> found = new ArrayList<>();
        for (double level : LEVELS) {
            take(highest * level, OF_LEVEL * seconds);
            Map<String, Object> row = new LinkedHashMap<>(steps.remove(steps.size() - 1));
            row.put("level", level);
            found.add(row);
        }
        return found;
    }

    private Step next(double of, long each) {
        Step step = new Step(number++, published, each, Clock.micros() + LEAD_MICROS, of, eventMillis);
        published += each;
        progress.expect(each * producers);
        eventMillis = step.endMillis();
        return step;
    }

    /** Lets producers publish at a rate, until the engine has consumed all of it. */
    private Latencies take(double of, double time) throws Exception {
        Step step = next(of, Math.max(1, Math.round(of * time)));
        Latencies latencies = new Latencies(step, producers);
        Observed observed = new Observed(step);
        double behind = Math.max(0, (drained(step, latencies, observed) - step.lastMicros(producers)) / 1e6);
        double took = step.each() / step.rate();
        double waited = waited(step, LAST);
        String missed = new Sustained(took, interval / 1e6, checkpoint / 1e6)
                .missed(observed.late() / 1e6, waited(step, SECOND), waited, latencies, behind);
        Map<String, Object> row = observed.row(latencies, producers, step.each() * producers / (took + behind), missed.isEmpty());
        row.put("behind", behind);
        row.put("waited", waited);
        row.put("missed", missed);
        String limit = Sustained.limit(missed);
        if (!limit.isEmpty()) {
            row.put("limit", limit);
        }
        steps.add(row);
        return latencies;
    }

    /** For how long events wait for the engine, in seconds: those in the brokers' log that it has not consumed, over their rate. */
    private double waited(Step step, int quarter) {
        return lags.median(step, quarter) / (step.rate() * producers);
    }

    /** Some events whose time is later than all windows of those before: each engine closes them. */
    private void close() throws Exception {
        eventMillis = ((eventMillis + gap) / window + 1) * window;
        Step step = next(CLOSING_RATE, NexmarkSpec.CLOSING);
        drained(step, new Latencies(step, producers), new Observed(step));
    }

    /** Receives until the engine has consumed a step and its results are here; the moment when it had, in microseconds. */
    private long drained(Step step, Latencies latencies, Observed observed) throws Exception {
        control.say(step.message());
        long shown = 0;
        long until = step.lastMicros(producers) + (long) (patience * 1e6);
        boolean asked = false;
        while (true) {
            boolean more = receive(step, latencies);
            long now = Clock.micros();
            long due = Math.max(0, Math.min(step.each(),
                    (long) ((now - step.beginMicros()) * step.rate() / 1e6)));
            if (due > shown) {
                progress.add((due - shown) * producers);
                shown = due;
            }
            until = more ? Math.max(until, now + (long) (patience * 1e6)) : until;
            List<String> heard = control.hear(0);
            observed.hear(heard);
            lags.hear(heard);
            for (String message : heard) {
                if (message.startsWith(Control.DRAINED + step.number() + " ")) {
                    last(step, latencies);
                    return Long.parseLong(message.substring(message.lastIndexOf(' ') + 1));
                }
            }
            if (!asked && observed.producers() == producers) {
                control.say(Control.DRAIN + step.number());
                asked = true;
            }
            if (now > until) {
                throw new WrongInput("The engine had not consumed all of " + published * producers + " events, "
                        + patience + " s after the last of them should have been sent and without another result.");
            }
        }
    }

    /** All results that the brokers have by now. */
    private void last(Step step, Latencies latencies) {
        Map<TopicPartition, Long> ends = results.endOffsets(partitions);
        while (partitions.stream().anyMatch(each -> results.position(each) < ends.get(each))) {
            receive(step, latencies);
        }
    }

    /** Whether there were results. */
    private boolean receive(Step step, Latencies latencies) {
        var polled = results.poll(Duration.ofMillis(POLL_MILLIS));
        long now = Clock.micros();
        long measured = 0;
        for (ConsumerRecord<byte[], byte[]> row : polled) {
            String[] key = new String(row.key(), StandardCharsets.US_ASCII).split(" ");
            measured += key.length > 1 && latencies.arrived(intended(step, key), now) ? 1 : 0;
        }
        if (!polled.isEmpty()) {
            latencies.result(now, measured);
        }
        return !polled.isEmpty();
    }

    /** When the last event that a row needs should have been sent; of a window the first one behind its watermark. */
    private long intended(Step step, String[] key) {
        long moment = Long.parseLong(key[1]);
        return windowed.contains(key[0]) ? step.beginMicros() + (moment + delay - step.eventMillis()) * 1000 : moment * 1000;
    }
}
