package io.weft.kafka;

/**
 * Whether a rate is sustained: producers are on time, and neither the events that wait for the engine nor the latencies of results grow.
 * All times are seconds; those of events that wait are their number over the rate.
 *
 * @param took the time for which the rate was offered
 * @param interval between results, as the user asked for it
 * @param checkpoint after which what was consumed is known
 */
record Sustained(double took, double interval, double checkpoint) {
    /** Share of the time by which anything may grow from its second quarter to the last. */
    private static final double GROWTH = 0.025;
    /** Share of itself by which anything may grow: results come by micro-batches. */
    private static final double NOISE = 0.25;
    /** Share of the time for which events may wait: whether longer ones grow is not seen in it. */
    private static final double LONGEST = 0.25;
    /** Share of the time after which the engine has consumed all, apart from {@link #CHECKPOINTS} checkpoints. */
    private static final double BEHIND = 0.1;
    private static final int CHECKPOINTS = 2;
    /** Times what events wait, after which the engine has consumed all: the micro-batch that runs, the last one, and that of its watermark. */
    private static final double BATCHES = 3;

    /**
     * What grew, in a word; empty if the rate is sustained.
     *
     * @param late of producers in the last quarter
     * @param before for how long events waited in the second quarter
     * @param waited and in the last one
     * @param latencies of results
     * @param behind after the last event, until the engine had consumed all
     */
    String missed(double late, double before, double waited, Latencies latencies, double behind) {
        // between two checkpoints nobody knows what is consumed
        double more = Math.max(0, waited - CHECKPOINTS * checkpoint);
        double less = Math.max(0, before - CHECKPOINTS * checkpoint);
        double growth = Math.max(interval, GROWTH * took);
        if (late > growth) {
            return "producers";
        }
        if (more - less > Math.max(growth, NOISE * more) || more > LONGEST * took) {
            return "backlog";
        }
        if (!latencies.comparable()) {
            return "results";
        }
        // a row of a window waits for two micro-batches, and is one of few
        double noise = Math.max(NOISE * latencies.lastQuarter() / 1e6, more);
        if (latencies.growth() / 1e6 > Math.max(growth, noise)) {
            return "latency";
        }
        double soon = Math.max(CHECKPOINTS * checkpoint + interval + 1, BEHIND * took);
        return behind > Math.max(soon, BATCHES * more) ? "end" : "";
    }

    /** What limits a rate that was missed, where latencies of the results that there are do not show it; empty elsewhere. */
    static String limit(String missed) {
        return switch (missed) {
            case "backlog", "end" -> "engine";
            case "results" -> "unknown";
            default -> "";
        };
    }
}
