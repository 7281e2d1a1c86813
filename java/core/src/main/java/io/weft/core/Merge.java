package io.weft.core;

import java.io.IOException;
import java.util.List;

/** Merges sorted runs by a tree of losers: one comparison a level for each record. */
public final class Merge {
    /** Records that are chosen before they are copied. */
    private static final int CHOSEN = 64;

    private final SortedRun[] runs;
    /** The current prefix of each run; the greatest value once it has ended. */
    private final long[] prefixes;
    private final boolean[] ended;
    /** At 0 the winner, at each inner node the loser of the match played there. */
    private final int[] tree;
    private final SortedRun[] from = new SortedRun[CHOSEN];
    private final int[] places = new int[CHOSEN];
    private boolean started;

    /** A merge of runs, none of which has been advanced yet. */
    public Merge(List<? extends SortedRun> sorted) throws IOException {
        runs = sorted.toArray(SortedRun[]::new);
        prefixes = new long[runs.length];
        ended = new boolean[runs.length];
        tree = new int[Math.max(1, runs.length)];
        for (int i = 0; i < runs.length; i++) {
            advance(i);
        }
        if (runs.length > 0) {
            tree[0] = play(1);
        }
    }

    /**
     * Fills an array with the next records, from an offset on and as far as whole ones fit. Each lies somewhere else: those that
     * stay where they are are copied in a loop of their own, in which a CPU waits for many of them at once.
     *
     * @return the bytes of the records; 0 at the end, or if none fits
     */
    public int read(byte[] to, int offset) throws IOException {
        int end = offset + (to.length - offset) / TeraRecord.LENGTH * TeraRecord.LENGTH;
        int at = offset;
        while (at < end) {
            int begun = at;
            at = choose(to, at, Math.min(end, at + CHOSEN * TeraRecord.LENGTH));
            for (int i = 0; begun + i * TeraRecord.LENGTH < at; i++) {
                if (from[i].stays()) {
                    from[i].copy(places[i], to, begun + i * TeraRecord.LENGTH);
                }
            }
            if (at == begun) {
                break;
            }
        }
        return at - offset;
    }

    /** Chooses the next records for an array up to an end, copies those that do not stay, and gives where the last one ends. */
    private int choose(byte[] to, int begun, int end) throws IOException {
        int at = begun;
        for (int i = 0; at < end; i++, at += TeraRecord.LENGTH) {
            SortedRun run = next();
            if (run == null) {
                break;
            }
            from[i] = run;
            places[i] = run.place();
            if (!run.stays()) {
                run.copy(places[i], to, at);
            }
        }
        return at;
    }

    /** The run whose current record is the next of all, or null at the end. */
    private SortedRun next() throws IOException {
        if (runs.length == 0) {
            return null;
        }
        if (started) {
            advance(tree[0]);
            replay(tree[0]);
        }
        started = true;
        return ended[tree[0]] ? null : runs[tree[0]];
    }

    private void advance(int run) throws IOException {
        ended[run] = !runs[run].advance();
        prefixes[run] = ended[run] ? -1L : runs[run].prefix();
    }

    /** Plays the matches of a subtree; leaf k of n is at node n + k. */
    private int play(int node) {
        if (node >= runs.length) {
            return node - runs.length;
        }
        int left = play(2 * node);
        int right = play(2 * node + 1);
        boolean leftWins = !less(right, left);
        tree[node] = leftWins ? right : left;
        return leftWins ? left : right;
    }

    private void replay(int run) {
        int winner = run;
        for (int node = (runs.length + run) >>> 1; node > 0; node >>>= 1) {
            int loser = tree[node];
            if (less(loser, winner)) {
                tree[node] = winner;
                winner = loser;
            }
        }
        tree[0] = winner;
    }

    private boolean less(int a, int b) {
        int step = Long.compareUnsigned(prefixes[a], prefixes[b]);
        if (step != 0) {
            return step < 0;
        }
        if (ended[a] || ended[b]) {
            return !ended[a];
        }
        return runs[a].suffix() < runs[b].suffix();
    }
}
