package io.weft.core;

import java.io.Serializable;
import java.util.Comparator;

/**
 * A string and how often it was found. The more frequent comes first, and of equals the lesser string.
 *
 * @param text the string, a character a byte
 * @param count how often
 */
public record Match(String text, long count) implements Comparable<Match>, Serializable {
    private static final Comparator<Match> ORDER =
            Comparator.comparingLong(Match::count).reversed().thenComparing(Match::text);

    @Override
    public int compareTo(Match other) {
        return ORDER.compare(this, other);
    }

    /** The line that it is in an output. */
    public String line() {
        return text + '\t' + count;
    }
}
