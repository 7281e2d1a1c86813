package io.weft.core;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Measures named phases; the outcome gets each, and their sum as the measured time. */
public final class Phases {
    private final Map<String, Double> seconds = new LinkedHashMap<>();

    /** Runs and measures one phase; the callable should hold the engine's call and nothing else. */
    public <T> T time(String name, Callable<T> work) throws Exception {
        long began = System.nanoTime();
        T result = work.call();
        seconds.merge(name, (System.nanoTime() - began) / 1e9, Double::sum);
        return result;
    }

    /** Puts {@code phases}, each in seconds, and {@code seconds}, the sum of the measured ones. */
    public void report(Outcome outcome, String... measured) {
        double sum = Stream.of(measured).filter(seconds::containsKey).mapToDouble(seconds::get).sum();
        outcome.put("seconds", sum).put("phases", seconds);
    }
}
