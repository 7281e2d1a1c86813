package io.weft.kafka;

import io.weft.stream.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the producers of a step observed. */
final class Observed {
    private final Step step;
    private final List<Published> all = new ArrayList<>();

    Observed(Step step) {
        this.step = step;
    }

    /** Takes the messages that are of this step. */
    void hear(List<String> messages) {
        for (String message : messages) {
            Published one = Published.of(message);
            if (one != null && one.step() == step.number()) {
                all.add(one);
            }
        }
    }

    /** Producers that have published all of it. */
    int producers() {
        return all.size();
    }

    /** How late the latest of the producers was, in microseconds: a median over the last quarter. */
    long late() {
        return all.stream().mapToLong(Published::lateMicros).max().orElse(0);
    }

    /** The step as a row: its rate, the latencies, and where records waited longest; times in seconds. */
    Map<String, Object> row(Latencies latencies, int producers, double throughput, boolean sustained) {
        long late = late();
        long acknowledged = all.stream().mapToLong(Published::ackMicros).max().orElse(0);
        double blocked = all.stream().mapToDouble(Published::blocked).max().orElse(0);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("rate", step.rate() * producers);
        row.put("seconds", step.each() / step.rate());
        row.put("records", step.each() * producers);
        row.put("throughput", throughput);
        row.putAll(latencies.summary());
        row.put("growth", latencies.growth() / 1e6);
        row.put("sustained", sustained);
        row.put("late", late / 1e6);
        row.put("most_late", all.stream().mapToLong(Published::mostLateMicros).max().orElse(0) / 1e6);
        row.put("acknowledged", acknowledged / 1e6);
        row.put("blocked", blocked);
        row.put("limit", Limit.of(latencies.lastQuarter(), late, acknowledged, blocked).name().toLowerCase(Locale.ROOT));
        return row;
    }
}
