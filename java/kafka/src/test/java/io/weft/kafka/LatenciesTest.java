package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.stream.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LatenciesTest {
    private static final Step STEP = new Step(1, 100, 1000, 1_700_000_000_000_000L, 100);

    /** Records of a step whose result comes so many microseconds after each should have been sent. */
    private static Latencies of(java.util.function.LongUnaryOperator latency) {
        Latencies found = new Latencies(STEP, 1);
        for (long number = STEP.first(); number < STEP.first() + STEP.each(); number++) {
            long micros = STEP.intended(0, 1, number) + latency.applyAsLong(number - STEP.first());
            found.held(0, number, micros);
            found.result(micros, 1);
        }
        return found;
    }

    @Test
    void aLatencyBeginsWhenTheRecordShouldHaveBeenSent() {
        Latencies found = of(number -> 5000);
        assertEquals(5000, found.percentile(50), 5);
        assertEquals(0, found.growth());
        assertEquals(100, found.throughput(), 0.2);
    }

    @Test
    void latenciesThatGrowAreSeen() {
        Latencies found = of(number -> number * 1000);
        assertEquals(500_000, found.growth(), 10_000);
        assertEquals(875_000, found.lastQuarter(), 10_000);
    }

    @Test
    void aResultBeforeItsRecordIsNotHidden() {
        assertEquals(3L, of(number -> number < 3 ? -2000 : 10).report().get("early"));
    }

    @Test
    void theLongestTimeWithoutANewResultIsFound() {
        Latencies found = of(number -> number >= 500 && number < 800 ? (800 - number) * 10_000 : 10);
        Map<?, ?> pause = (Map<?, ?>) found.report().get("longest_pause");
        assertEquals(3.0, (double) pause.get("seconds"), 0.02);
    }

    @Test
    void anEngineThatBeginsLateHasCaughtUpWhenRecordsAreAsFastAsAtTheEnd() {
        long ready = STEP.beginMicros() + 3_000_000;
        // the backlog of 3 s is gone 2 s after the engine began
        Latencies found = of(number -> Math.max(20_000, 3_000_000 - number * 6_000));
        Map<String, Object> late = found.caughtUp(ready);
        assertEquals(List.of(300L, 3.0), List.of(late.get("records"), late.get("waited")));
        assertEquals(2.0, (double) late.get("caught_up"), 0.2);
        assertEquals(null, of(number -> 3_000_000 + number).caughtUp(ready).get("caught_up"));
    }

    @Test
    void theLogHoldsAllRecords(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("latency.hlog");
        of(number -> number).write(file);
        long records = 0;
        try (HistogramLogReader log = new HistogramLogReader(Files.newInputStream(file))) {
            for (var next = log.nextIntervalHistogram(); next != null; next = log.nextIntervalHistogram()) {
                records += ((Histogram) next).getTotalCount();
            }
        }
        assertEquals(STEP.each(), records);
    }

    @Test
    void theReportHasAllRecordsOverTime() {
        List<?> rows = (List<?>) of(number -> 5000).report().get("over_time");
        assertEquals(STEP.each(), rows.stream().mapToLong(row -> (long) ((Map<?, ?>) row).get("records")).sum());
        assertTrue(rows.size() >= 100);
    }
}
