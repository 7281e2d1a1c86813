package io.weft.core;

import java.io.Serializable;

/**
 * What a sequence of (key, number) pairs holds: their count, the sum of their hashes, and whether the keys never
 * fall. Tallies of successive partitions are added in their order.
 */
public final class KeyTally implements Serializable {
    private static final long serialVersionUID = 1L;

    private long count;
    private long checksum;
    private boolean ordered = true;
    private int first;
    private int last;

    static KeyTally of(long count, long checksum) {
        KeyTally tally = new KeyTally();
        tally.count = count;
        tally.checksum = checksum;
        return tally;
    }

    /** Counts a pair. */
    public void add(int key, long number) {
        ordered &= count == 0 || last <= key;
        first = count == 0 ? key : first;
        last = key;
        count++;
        checksum += Hash64.of(key, number);
    }

    /** Adds what comes after. */
    public void add(KeyTally next) {
        if (next.count > 0) {
            ordered &= next.ordered && (count == 0 || last <= next.first);
            first = count == 0 ? next.first : first;
            last = next.last;
            count += next.count;
            checksum += next.checksum;
        }
    }

    /** Puts count and checksum into the outcome, with a problem for each difference from the right answer. */
    public void check(KeyTally answer, boolean inOrder, Outcome outcome) {
        outcome.same("count", count, answer.count);
        outcome.same("checksum", Long.toHexString(checksum), Long.toHexString(answer.checksum));
        if (inOrder && !ordered) {
            outcome.problem("the keys are not in order");
        }
        outcome.put("count", count).put("checksum", Long.toHexString(checksum));
    }
}
