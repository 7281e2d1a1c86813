package io.weft.kafka;

/**
 * The search for the highest rate that is kept: from the first rate up until one is missed, or down until one is kept,
 * first by a small step, which grows: who knows the rate roughly waits for few rates, and who does not, for few more. Then
 * the distance between the two is halved, until they are close. At last the lowest that was missed is tried again: the
 * engine was not warm yet, or something else had disturbed it. If it is kept then, the search goes on above it.
 */
final class Search {
    private static final double ENOUGH = 1.15;
    /** The first step, by which a kept rate and a missed one are close enough. */
    private static final double SMALL = 1.14;
    private static final double MOST_UP = 2;
    /** More than up: a rate that is missed leaves a backlog, for which the next one waits. */
    private static final double MOST_DOWN = 4;

    private double kept;
    private double missed = Double.POSITIVE_INFINITY;
    private double next;
    private double step = SMALL;
    /** Whether the lowest rate that was missed was so twice. */
    private boolean confirmed;

    Search(double first) {
        next = first;
    }

    /** Whether there is a rate to try; none below one record per second. */
    boolean more() {
        return kept == 0 ? next >= 1 : missed / kept > ENOUGH || !confirmed;
    }

    /** The rate to try. */
    double next() {
        return next;
    }

    /** The lowest rate that was missed. */
    double missed() {
        return missed;
    }

    /** Says whether the rate was kept. */
    void tried(boolean keeps) {
        if (keeps) {
            kept = next;
            missed = next == missed ? Double.POSITIVE_INFINITY : missed;
        } else {
            confirmed = next == missed;
            missed = next;
        }
        if (Double.isInfinite(missed)) {
            next = kept * step;
            step = Math.min(step * step, MOST_UP);
        } else if (kept == 0) {
            next = missed / step;
            step = Math.min(step * step, MOST_DOWN);
        } else {
            next = missed / kept > ENOUGH ? Math.sqrt(kept * missed) : missed;
        }
    }
}
