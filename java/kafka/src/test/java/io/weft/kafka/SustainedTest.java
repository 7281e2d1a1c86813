package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weft.stream.Lag;
import io.weft.stream.Step;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SustainedTest {
    /** 20 s of 1000 events a second. */
    private static final Step STEP = new Step(1, 0, 20_000, 1_700_000_000_000_000L, 1000);
    private static final Sustained MICRO_BATCHES = new Sustained(20, 0.1, 0.1);
    private static final Sustained CHECKPOINTS = new Sustained(20, 0, 1);

    /** A row for each second, whose latency in microseconds is a function of the microseconds since the step began. */
    private static Latencies rows(LongUnaryOperator latency) {
        Latencies found = new Latencies(STEP, 1);
        LongStream.range(0, 20).map(second -> second * 1_000_000).forEach(
                at -> found.arrived(STEP.beginMicros() + at, STEP.beginMicros() + at + latency.applyAsLong(at)));
        return found;
    }

    @Test
    void whatDoesNotGrowIsSustained() {
        assertEquals("", CHECKPOINTS.missed(0.001, 1, 1.2, rows(at -> 600_000), 0.8));
        assertEquals("", MICRO_BATCHES.missed(0.001, 1.2, 1.5, rows(at -> 2_500_000), 3.5));
    }

    @Test
    void producersThatCannotOfferTheRateDoNotFindIt() {
        assertEquals("producers", CHECKPOINTS.missed(0.6, 1, 1, rows(at -> 600_000), 0.8));
    }

    @Test
    void microBatchesThatGetLongerAreABacklogHoweverLongTheyAreAlready() {
        // a rate that producers kept by being late too: each batch has what came during the one before
        assertEquals("backlog", MICRO_BATCHES.missed(0.1, 10, 12, rows(at -> 25_000_000), 20));
        assertEquals("backlog", MICRO_BATCHES.missed(0.1, 1, 2.5, rows(at -> 3_000_000), 5));
    }

    @Test
    void latenciesThatGrowWithoutABacklogAreSeen() {
        assertEquals("latency", CHECKPOINTS.missed(0.001, 1, 1.2, rows(at -> at / 10), 0.8));
    }

    @Test
    void anEngineThatHasMuchToDoAfterTheLastEventDoesNotKeepUp() {
        assertEquals("end", CHECKPOINTS.missed(0.001, 1, 1.2, rows(at -> 600_000), 3.5));
        assertEquals("end", MICRO_BATCHES.missed(0.001, 1, 1, rows(at -> 2_500_000), 4));
    }

    @Test
    void aRateWithoutResultsSaysNothing() {
        assertEquals("results", CHECKPOINTS.missed(0.001, 1, 1, new Latencies(STEP, 1), 0.8));
        assertEquals("unknown", Sustained.limit("results"));
    }

    @Test
    void eventsThatWaitForTheEngineAreItsLimitWhateverResultsThereAre() {
        assertEquals("engine", Sustained.limit("backlog"));
        assertEquals("engine", Sustained.limit("end"));
        assertEquals("", Sustained.limit("producers"));
    }

    @Test
    void whatWaitsIsTheMedianOfAQuarterOrWhatWasKnownLast() {
        Lags lags = new Lags();
        assertEquals(0, lags.median(STEP, 1));
        for (long[] each : new long[][] {{1, 500}, {6, 100}, {7, 300}, {8, 200}}) {
            lags.hear(List.of("ready", new Lag(STEP.beginMicros() + each[0] * 1_000_000, each[1]).message()));
        }
        assertEquals(List.of(500L, 200L, 200L), List.of(lags.median(STEP, 0), lags.median(STEP, 1), lags.median(STEP, 3)));
        assertEquals(List.of(1_700_000_001.0, 500.0), lags.report().get(0));
    }
}
