package io.weft.kafka;

/**
 * The search for the highest rate that is kept: rates are doubled until one is missed, or quartered until one is kept;
 * then the distance between the two is halved, until they are close. At last the lowest that was missed is tried again:
 * the engine was not warm yet, or something else had disturbed it. If it is kept then, the search goes on above it.
 */
final class Search {
    private static final double ENOUGH = 1.15;

    private double kept;
    private double missed = Double.POSITIVE_INFINITY;
    private double next;
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
            next = 2 * kept;
        } else if (kept == 0) {
            next = missed / 4;
        } else {
            next = missed / kept > ENOUGH ? Math.sqrt(kept * missed) : missed;
        }
    }
}
