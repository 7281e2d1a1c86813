package io.weft.kafka;

import io.weft.stream.Lag;
import io.weft.stream.Step;
import java.util.ArrayList;
import java.util.List;

/** How many events waited in the brokers' log over time, as the engine's driver reported. */
final class Lags {
    private static final int QUARTERS = 4;

    private final List<Lag> all = new ArrayList<>();

    /** Takes the messages that are lags. */
    void hear(List<String> messages) {
        messages.stream().map(Lag::of).filter(lag -> lag != null).forEach(all::add);
    }

    /** The median in a quarter of a step, from 0, in events. Where nothing was reported in it: the last report before; 0 where there is none. */
    long median(Step step, int quarter) {
        double micros = step.each() / step.rate() * 1e6 / QUARTERS;
        long begin = step.beginMicros() + (long) (quarter * micros);
        long end = begin + (long) micros;
        List<Long> within = all.stream().filter(lag -> lag.micros() >= begin && lag.micros() < end).map(Lag::records).sorted().toList();
        if (!within.isEmpty()) {
            return within.get(within.size() / 2);
        }
        return all.stream().filter(lag -> lag.micros() < end).reduce((first, second) -> second).map(Lag::records).orElse(0L);
    }

    /** Moments in seconds since 1970, each with its events. */
    List<List<Double>> report() {
        return all.stream().map(lag -> List.of(lag.micros() / 1e6, (double) lag.records())).toList();
    }
}
