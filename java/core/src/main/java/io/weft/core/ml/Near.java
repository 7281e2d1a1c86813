package io.weft.core.ml;

import io.weft.core.Outcome;

/** Compares numbers that were found with right ones; the worst difference of all is kept, and named when it is too large. */
public final class Near {
    private final Outcome outcome;
    private final double bound;
    private double worst;
    private String where = "";

    /** @param bound largest difference, relative to the right number or to 1, whichever is larger */
    public Near(Outcome outcome, double bound) {
        this.outcome = outcome;
        this.bound = bound;
    }

    /** One number. */
    public void same(String what, double found, double right) {
        double off = Math.abs(found - right) / Math.max(1, Math.abs(right));
        if (!(off <= worst)) {
            worst = Double.isFinite(off) ? off : Double.MAX_VALUE;
            where = what + " is " + found + ", expected " + right;
        }
    }

    /** A row of numbers. */
    public void same(String what, double[] found, double[] right) {
        if (found.length != right.length) {
            outcome.problem(what + " has " + found.length + " numbers, expected " + right.length);
            return;
        }
        for (int i = 0; i < right.length; i++) {
            same(what + " " + i, found[i], right[i]);
        }
    }

    /** Report the worst difference. */
    public void report() {
        outcome.put("difference", worst).put("bound", bound);
        if (!(worst <= bound)) {
            outcome.problem(where + ": more than " + bound + " from the right answer");
        }
    }
}
