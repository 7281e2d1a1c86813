package io.weft.kafka;

import io.weft.stream.Step;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogWriter;

/** Latencies of the records of one step: from the moment at which each should be sent to the result that holds it. */
final class Latencies {
    private static final int DIGITS = 3;
    private static final int DIGITS_OVER_TIME = 2;
    private static final int POINTS = 100;
    private static final int QUARTERS = 4;
    private static final int HALF_DISTANCES = 5;
    private static final double MOST = 100;
    private static final int AS_USUAL = 2;
    private static final double[] LEVELS = {50, 95, 99, 99.9};
    private static final String[] NAMES = {"median", "p95", "p99", "p999"};

    private final Step step;
    private final int producers;
    private final Histogram all = new Histogram(DIGITS);
    private final Histogram[] quarters = new Histogram[QUARTERS];
    private final TreeMap<Long, Interval> intervals = new TreeMap<>();
    private final long width;
    private long early;
    private long results;
    private long lastMicros;
    private long pauseMicros;
    private long pauseBegan;

    /** Some time of a step. */
    private static final class Interval {
        private final Histogram sent = new Histogram(DIGITS_OVER_TIME);
        private long held;
        private long results;
    }

    Latencies(Step step, int producers) {
        this.step = step;
        this.producers = producers;
        double seconds = step.each() / step.rate();
        width = Math.max(100_000, (long) (seconds * 1e6 / POINTS));
        lastMicros = step.beginMicros();
        for (int i = 0; i < QUARTERS; i++) {
            quarters[i] = new Histogram(DIGITS_OVER_TIME);
        }
    }

    /** A result that holds so many more records arrived. */
    void result(long micros, long held) {
        Interval interval = at(micros);
        interval.results++;
        interval.held += held;
        results++;
        if (held > 0) {
            if (micros - lastMicros > pauseMicros) {
                pauseMicros = micros - lastMicros;
                pauseBegan = lastMicros;
            }
            lastMicros = micros;
        }
    }

    /** A record is held by a result that arrived at a moment. */
    void held(int producer, long record, long micros) {
        arrived(step.intended(producer, producers, record), micros,
                (int) Math.min(QUARTERS - 1, (record - step.first()) * QUARTERS / step.each()));
    }

    /** A result arrived at a moment, of which the last record should have been sent at another one; whether in this step. */
    boolean arrived(long intended, long micros) {
        long quarter = Math.floorDiv((intended - step.beginMicros()) * QUARTERS, (long) (step.each() / step.rate() * 1e6));
        boolean within = quarter >= 0 && quarter < QUARTERS;
        if (within) {
            arrived(intended, micros, (int) quarter);
        }
        return within;
    }

    private void arrived(long intended, long micros, int quarter) {
        early += micros < intended ? 1 : 0;
        long latency = Math.max(0, micros - intended);
        all.recordValue(latency);
        at(intended).sent.recordValue(latency);
        quarters[quarter].recordValue(latency);
    }

    /** Whether there is something to compare: results of the second quarter and of the last one have arrived. */
    boolean comparable() {
        return quarters[1].getTotalCount() > 0 && quarters[QUARTERS - 1].getTotalCount() > 0;
    }

    private Interval at(long micros) {
        return intervals.computeIfAbsent((micros - step.beginMicros()) / width, number -> new Interval());
    }

    /** Microseconds. */
    long percentile(double level) {
        return all.getValueAtPercentile(level);
    }

    /** How much the median grew from the second quarter of the step to the last, in microseconds. */
    long growth() {
        return lastQuarter() - quarters[1].getValueAtPercentile(50);
    }

    /** The median of the last quarter, in microseconds. */
    long lastQuarter() {
        return quarters[QUARTERS - 1].getValueAtPercentile(50);
    }

    /** Records held per second, from the first moment of the step to its last result. */
    double throughput() {
        return all.getTotalCount() / seconds();
    }

    /** From the first moment of the step to its last result. */
    double seconds() {
        return (lastMicros - step.beginMicros()) / 1e6;
    }

    /** In seconds. */
    Map<String, Object> summary() {
        Map<String, Object> found = new LinkedHashMap<>();
        for (int i = 0; i < LEVELS.length; i++) {
            found.put(NAMES[i], percentile(LEVELS[i]) / 1e6);
        }
        found.put("max", all.getMaxValue() / 1e6);
        found.put("mean", all.getMean() / 1e6);
        return found;
    }

    /** All that was observed; times in seconds, moments since 1970. */
    Map<String, Object> report() {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("began", step.beginMicros() / 1e6);
        found.put("seconds", seconds());
        found.put("records", all.getTotalCount());
        found.put("results", results);
        found.put("throughput", throughput());
        found.put("latency", summary());
        found.put("early", early);
        found.put("longest_pause", Map.of("began", pauseBegan / 1e6, "seconds", pauseMicros / 1e6));
        found.put("distribution", distribution());
        found.put("over_time", overTime());
        return found;
    }

    /**
     * How an engine that began late caught up: records that waited for it, and the seconds until 99 % of the records were
     * as fast as in the last quarter of the step, within a factor of two; none of them if it did not.
     *
     * @param ready when the engine began
     */
    Map<String, Object> caughtUp(long ready) {
        Map<String, Object> found = new LinkedHashMap<>();
        long due = (long) Math.min(step.each(), Math.max(0, (ready - step.beginMicros()) * step.rate() / 1e6));
        found.put("records", due * producers);
        found.put("waited", Math.max(0, ready - step.beginMicros()) / 1e6);
        long usual = AS_USUAL * quarters[QUARTERS - 1].getValueAtPercentile(99);
        if (usual >= ready - step.beginMicros()) {
            return found;
        }
        for (Map.Entry<Long, Interval> each : intervals.entrySet()) {
            Histogram sent = each.getValue().sent;
            if (sent.getTotalCount() > 0 && sent.getValueAtPercentile(99) <= usual) {
                long sentAt = step.beginMicros() + each.getKey() * width + width / 2;
                found.put("caught_up", Math.max(0, sentAt + sent.getValueAtPercentile(99) - ready) / 1e6);
                return found;
            }
        }
        return found;
    }

    private List<List<Double>> distribution() {
        List<List<Double>> found = new ArrayList<>();
        for (HistogramIterationValue value : all.percentiles(HALF_DISTANCES)) {
            found.add(List.of(value.getPercentile() / MOST, value.getValueIteratedTo() / 1e6));
        }
        return found;
    }

    private List<Map<String, Object>> overTime() {
        List<Map<String, Object>> found = new ArrayList<>();
        intervals.forEach((number, interval) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("t", (number + 0.5) * width / 1e6);
            row.put("records", interval.sent.getTotalCount());
            if (interval.sent.getTotalCount() > 0) {
                row.put("median", interval.sent.getValueAtPercentile(50) / 1e6);
                row.put("p99", interval.sent.getValueAtPercentile(99) / 1e6);
                row.put("max", interval.sent.getMaxValue() / 1e6);
            }
            row.put("held_per_second", interval.held * 1e6 / width);
            row.put("results", interval.results);
            found.add(row);
        });
        return found;
    }

    /** Writes a log that the tools of HdrHistogram read: the latencies of each interval, in microseconds. */
    void write(Path file) throws IOException {
        try (PrintStream out = new PrintStream(file.toFile())) {
            HistogramLogWriter log = new HistogramLogWriter(out);
            log.outputLogFormatVersion();
            log.outputComment("[latency in microseconds, from the intended moment of a record to its result]");
            log.outputStartTime(step.beginMicros() / 1000);
            log.outputLegend();
            intervals.forEach((number, interval) -> log.outputIntervalHistogram(
                    (step.beginMicros() + number * width) / 1e6, (step.beginMicros() + (number + 1) * width) / 1e6,
                    interval.sent, 1e3));
        }
    }
}
