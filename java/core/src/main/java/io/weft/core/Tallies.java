package io.weft.core;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** What a tally finds in some splits: counts of strings, each string once, or more often where memory is short. */
public final class Tallies implements Iterator<Match> {
    private final Iterator<TextSplit> splits;
    private final LineTally tally;
    private final ArrayDeque<Match> found = new ArrayDeque<>();
    private Lines lines;

    /** Counts words, or the matches of a pattern that is not empty. */
    public Tallies(Iterator<TextSplit> splits, String pattern) {
        this.splits = splits;
        this.tally = LineTally.of(pattern);
    }

    @Override
    public boolean hasNext() {
        if (found.isEmpty()) {
            try {
                read();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
            tally.counts.drainText((text, count) -> found.add(new Match(text, count)));
        }
        return !found.isEmpty();
    }

    /** Reads on until memory is full or all is read. */
    private void read() throws IOException {
        while (!tally.full() && (lines != null || splits.hasNext())) {
            lines = lines == null ? splits.next().lines() : lines;
            while (!tally.full() && lines.next()) {
                tally.line(lines.bytes, lines.offset, lines.length);
            }
            if (!tally.full()) {
                lines.close();
                lines = null;
            }
        }
    }

    @Override
    public Match next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return found.remove();
    }
}
