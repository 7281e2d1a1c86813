package io.weft.core;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;

/** Times named phases; the outcome gets each, and the sum of those that are measured. */
public final class Phases {
    private final Map<String, Double> seconds = new LinkedHashMap<>();
    private double measured;

    /** Runs and times a phase that is not part of the measured time. Work that fails has taken its time, too. */
    public <T> T time(String name, Callable<T> work) throws Exception {
        long began = System.nanoTime();
        try {
            return work.call();
        } finally {
            seconds.merge(name, (System.nanoTime() - began) / 1e9, Double::sum);
        }
    }

    /** Runs and times a phase that is; the callable should hold the engine's call and nothing else. */
    public <T> T measure(String name, Callable<T> work) throws Exception {
        double before = seconds.getOrDefault(name, 0.0);
        try {
            return time(name, work);
        } finally {
            measured += seconds.get(name) - before;
        }
    }

    /** The same for work that is known to have ended only later: what it gave says when, on the clock of System.nanoTime. */
    public <T> T measure(String name, Callable<T> work, ToLongFunction<T> end) throws Exception {
        double before = seconds.getOrDefault(name, 0.0);
        double all = measured;
        long began = System.nanoTime();
        T done = measure(name, work);
        double lasted = Math.max(0, (end.applyAsLong(done) - began) / 1e9);
        seconds.put(name, before + lasted);
        measured = all + lasted;
        return done;
    }

    /** Seconds of all measured phases. */
    public double measured() {
        return measured;
    }

    /** Puts {@code seconds}, the measured time, and {@code phases}, each in seconds. */
    public void report(Outcome outcome) {
        outcome.put("seconds", measured).put("phases", seconds);
    }
}
