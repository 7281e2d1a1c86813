package io.weft.kafka;

/**
 * The search for the highest rate that is kept: rates are doubled until one is missed, or quartered until one is kept;
 * then the distance between the two is halved, until they are close.
 */
final class Search {
    private static final double ENOUGH = 1.15;

    private double kept;
    private double missed = Double.POSITIVE_INFINITY;
    private double next;

    Search(double first) {
        next = first;
    }

    /** Whether there is a rate to try; none below one record per second. */
    boolean more() {
        return kept == 0 ? next >= 1 : missed / kept > ENOUGH;
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
        } else {
            missed = next;
        }
        if (Double.isInfinite(missed)) {
            next = 2 * kept;
        } else {
            next = kept == 0 ? missed / 4 : Math.sqrt(kept * missed);
        }
    }
}
