package io.weft.core.ml;

import io.weft.core.Outcome;
import io.weft.core.UsageError;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Sentences in which words alternate with their contexts: words 4n and 4n+1 are always next to 4n+2 or 4n+3, and these next
 * to them, so that words 2n and 2n+1 are synonyms.
 *
 * @param seeded draws the sentences
 * @param sentences number of sentences
 * @param words number of different words
 */
public record Synonyms(Seeded seeded, long sentences, int words) implements Serializable {
    private static final int LENGTH = 16;
    private static final int TOGETHER = 4;
    private static final double LEAST = 0.95;

    public Synonyms {
        if (words < TOGETHER) {
            throw new UsageError("Sentences of synonyms need at least " + TOGETHER + " words, not " + words + ".");
        }
    }

    /** The words of a sentence. */
    public List<String> sentence(long number) {
        List<String> found = new ArrayList<>();
        int first = TOGETHER * seeded.below(number, 0, words / TOGETHER);
        for (int at = 0; at < LENGTH; at++) {
            found.add(name(first + 2 * (at % 2) + seeded.below(number, 1L + at, 2)));
        }
        return found;
    }

    private static String name(int word) {
        return "word" + word;
    }

    /** Checks vectors by word: all of them are there, and the nearest by angle is the synonym. */
    public void check(Map<String, double[]> vectors, Outcome outcome) {
        int all = words / TOGETHER * TOGETHER;
        List<double[]> directions = new ArrayList<>();
        for (int word = 0; word < all; word++) {
            double[] vector = vectors.get(name(word));
            if (vector == null) {
                outcome.problem(name(word) + " has no vector");
                return;
            }
            directions.add(direction(vector));
        }
        outcome.same("vectors", vectors.size(), all);
        int right = 0;
        for (int word = 0; word < all; word++) {
            right += nearest(directions, word) == (word ^ 1) ? 1 : 0;
        }
        Accuracy.check("words whose synonym is nearest", right, all, LEAST, outcome);
    }

    private static double[] direction(double[] vector) {
        double[] found = vector.clone();
        double length = Math.sqrt(Product.dot(found, found));
        Arrays.setAll(found, at -> found[at] / length);
        return found;
    }

    private static int nearest(List<double[]> directions, int word) {
        int best = -1;
        double most = Double.NEGATIVE_INFINITY;
        for (int other = 0; other < directions.size(); other++) {
            double cosine = Product.dot(directions.get(word), directions.get(other));
            if (other != word && cosine > most) {
                most = cosine;
                best = other;
            }
        }
        return best;
    }
}
