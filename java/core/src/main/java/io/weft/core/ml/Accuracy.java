package io.weft.core.ml;

import io.weft.core.Outcome;

/** A share that has to be large enough. */
public final class Accuracy {
    private Accuracy() {
    }

    /** Reports it, and a problem if it is less than the least. */
    public static void check(String what, double right, double all, double least, Outcome outcome) {
        double accuracy = right / all;
        outcome.put("accuracy", accuracy).put("least", least);
        if (!(accuracy >= least)) {
            outcome.problem(what + ": " + accuracy + " of all, less than " + least);
        }
    }
}
