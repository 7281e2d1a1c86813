package io.weft.kafka;

import io.weft.core.Bounds;
import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.core.Progress;
import io.weft.core.WrongInput;
import io.weft.stream.Control;
import io.weft.stream.Step;
import io.weft.stream.StreamOptions;
import io.weft.stream.StreamTotals;
import io.weft.stream.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Says when producers publish, receives the engine's results, and measures each record's latency. With a bound on the
 * latency it looks for the highest rate that keeps it.
 */
public final class Collect extends Program {
    private static final long LEAD_MICROS = 500_000;
    private static final long POLL_MILLIS = 100;
    /** Share of the time of a step by which the median may grow from its second quarter to the last. */
    private static final double GROWTH = 0.025;
    private static final long MOST_RECORDS = 1_000_000_000L;

    @Option(names = "--client", required = true)
    private Path client;

    @Mixin
    private StreamOptions stream;

    /** Records per second of each producer; in a search, the first rate. */
    @Option(names = "--rate", required = true)
    private double rate;

    @Option(names = "--seconds", required = true)
    private double seconds;

    @Option(names = "--warmup-seconds", required = true)
    private double warmup;

    /** Microseconds between results. */
    @Option(names = "--interval-micros")
    @Bounds(min = 0)
    private long interval;

    /** The highest 99th percentile of a rate that a search accepts; without one there is no search. */
    @Option(names = "--bound-micros")
    @Bounds(min = 0)
    private long bound;

    /** How long producers publish before the engine begins. */
    @Option(names = "--backlog-seconds")
    private double backlog;

    /** How many programs there are that have producers. */
    @Option(names = "--programs", required = true)
    private int programs;

    @Option(names = "--patience-seconds")
    private double patience = 120;

    @Option(names = "--log", required = true)
    private Path log;

    private final Progress progress = new Progress(0);
    private final List<Map<String, Object>> steps = new ArrayList<>();
    private Control control;
    private KafkaConsumer<String, String> results;
    private int producers;
    private Held held;
    private final List<String> heard = new ArrayList<>();
    private boolean going;
    private long readyMicros;

    public static void main(String[] args) {
        main(new Collect(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        producers = stream.spec().producers();
        held = new Held(producers);
        var text = new StringDeserializer();
        try (Control messages = new Control(client);
                KafkaConsumer<String, String> in =
                        new KafkaConsumer<>(Control.properties(client), text, text)) {
            control = messages;
            results = in;
            TopicPartition only = new TopicPartition(Topics.RESULTS, 0);
            in.assign(List.of(only));
            in.seekToBeginning(List.of(only));
            while (backlog == 0 && !control.hear(POLL_MILLIS).contains(Control.READY)) {
                // weft ends the run if the driver ends before
            }
            outcome.put("clocks", Clocks.compare(control, programs));
            try {
                if (warmup > 0 && backlog == 0) {
                    take(rate, warmup);
                    steps.clear();
                }
                Latencies found = bound > 0 ? search() : take(rate, seconds);
                found.report().forEach(outcome::put);
                if (backlog > 0) {
                    outcome.put("backlog", found.caughtUp(readyMicros));
                }
                found.write(log);
            } catch (WrongInput lost) {
                // the validator, which reads both topics again, says where
                outcome.put("lost", lost.getMessage());
            }
            control.say(Control.END);
        }
        outcome.put("steps", steps).put("each", held.published()).put("fallbacks", held.fallbacks());
    }

    /** Tries rates; gives the latencies of the highest one that was sustained. */
    private Latencies search() throws Exception {
        Search search = new Search(rate);
        Latencies best = null;
        while (search.more() && held.published() <= MOST_RECORDS / producers) {
            Latencies found = take(search.next(), seconds);
            boolean sustained = (boolean) steps.get(steps.size() - 1).get("sustained");
            best = sustained ? found : best;
            search.tried(sustained);
        }
        if (best == null) {
            throw new WrongInput("At no rate, down to " + search.missed() + " records/s of each producer, 99 % of the"
                    + " records were in a result after at most " + bound / 1e6 + " s.");
        }
        return best;
    }

    /** Lets producers publish at a rate, until results hold all of it. */
    private Latencies take(double rate, double seconds) throws Exception {
        long each = Math.max(1, Math.round(rate * seconds));
        Step step = new Step(steps.size() + (held.published() > 0 ? 1 : 0), held.published(), each,
                Clock.micros() + LEAD_MICROS, rate);
        held.publish(each);
        progress.expect(each * producers);
        control.say(step.message());
        Latencies latencies = new Latencies(step, producers);
        long until = step.lastMicros(producers) + (long) (patience * 1e6);
        boolean waiting = backlog > 0;
        while (held.missing() > 0) {
            waiting = waiting && !began(step);
            boolean more = false;
            var polled = results.poll(Duration.ofMillis(POLL_MILLIS));
            long now = Clock.micros();
            for (ConsumerRecord<String, String> result : polled) {
                long received = held.receive(StreamTotals.parse(result.value(), producers), now, latencies);
                progress.add(received);
                more |= received > 0;
            }
            until = more ? Math.max(until, now + (long) (patience * 1e6)) : until;
            if (now > until) {
                throw new WrongInput(missing());
            }
        }
        steps.add(row(step, latencies));
        return latencies;
    }

    /** After a backlog, whether the engine consumes; until then it waits. */
    private boolean began(Step step) throws Exception {
        if (!going && Clock.micros() >= step.beginMicros() + (long) (backlog * 1e6)) {
            control.say(Control.GO);
            going = true;
        }
        List<String> messages = going ? control.hear(0) : List.of();
        heard.addAll(messages);
        readyMicros = messages.contains(Control.READY) ? Clock.micros() : 0;
        return readyMicros > 0;
    }

    private String missing() {
        return held.missing() + " of " + held.published() * producers + " records were in no result, " + patience
                + " s after the last of them should have been sent and without another result.";
    }

    /** What producers observed; all of them have published by now. */
    private Map<String, Object> row(Step step, Latencies latencies) throws Exception {
        Observed observed = new Observed(step);
        observed.hear(heard);
        heard.clear();
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (observed.producers() < producers && System.nanoTime() < end) {
            observed.hear(control.hear(POLL_MILLIS));
        }
        boolean sustained = latencies.growth() <= Math.max(interval, GROWTH * step.each() / step.rate() * 1e6)
                && (bound == 0 || latencies.percentile(99) <= bound);
        return observed.row(latencies, producers, latencies.throughput(), sustained);
    }
}
