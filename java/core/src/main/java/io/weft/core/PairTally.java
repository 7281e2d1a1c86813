package io.weft.core;

import java.io.Serializable;

/** What a part of a grouped result holds: groups, pairs, and the sum of the pairs' hashes. Tallies add up. */
public final class PairTally implements Serializable {
    private static final long serialVersionUID = 1L;

    private long groups;
    private long pairs;
    private long checksum;

    /** Counts a group with all its values. */
    public void group(int key, Iterable<byte[]> values) {
        groups++;
        for (byte[] value : values) {
            pairs++;
            checksum += Hash64.of(key, value);
        }
    }

    /** Adds another tally. */
    public void add(PairTally other) {
        groups += other.groups;
        pairs += other.pairs;
        checksum += other.checksum;
    }

    /** The number of groups counted. */
    public long groups() {
        return groups;
    }

    /** Puts the tally into the outcome, with a problem for each difference from the generator's answer. */
    public void check(GroupByAnswer.Answer answer, Outcome outcome) {
        outcome.same("group count", groups, answer.groups());
        outcome.same("pair count", pairs, answer.pairs());
        outcome.same("checksum", Long.toHexString(checksum), answer.hex());
        outcome.put("groups", groups).put("pairs", pairs).put("checksum", Long.toHexString(checksum));
    }
}
