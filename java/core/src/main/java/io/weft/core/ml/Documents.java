package io.weft.core.ml;

import io.weft.core.Outcome;
import io.weft.core.UsageError;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Documents about one topic, and a little about another one; each topic has words of its own.
 *
 * @param seeded draws them
 * @param documents number of documents
 * @param words number of different words
 */
public record Documents(Seeded seeded, long documents, int words) implements Serializable {
    /** The number of topics. */
    public static final int TOPICS = 10;
    /** A model has twice as many, so that none has to hold two of them. */
    public static final int SOUGHT = 2 * TOPICS;
    private static final int LENGTH = 100;
    private static final double MAIN = 0.8;
    private static final double OWN = 0.95;
    private static final double BOUND = 1e-6;

    public Documents {
        if (words < TOPICS) {
            throw new UsageError("Documents on " + TOPICS + " topics need at least as many words, not " + words + ".");
        }
    }

    /** By word, in order: how often it is in a document. */
    public Map<Integer, Integer> document(long number) {
        int[] topics = {seeded.below(number, 0, TOPICS), seeded.below(number, 1, TOPICS)};
        Map<Integer, Integer> found = new TreeMap<>();
        for (int word = 1; word <= LENGTH; word++) {
            int topic = topics[seeded.uniform(number, 2L * word) < MAIN ? 0 : 1];
            int of = seeded.below(number, 2L * word + 1, words / TOPICS);
            found.merge(topic + TOPICS * of, 1, Integer::sum);
        }
        return found;
    }

    /** By word: how often it is in all documents. */
    public double[] counts() {
        double[] found = new double[words];
        for (long number = 0; number < documents; number++) {
            document(number).forEach((word, count) -> found[word] += count);
        }
        return found;
    }

    /**
     * Checks how often each word belongs to each topic of a model: every word as often as it was there, nearly all in
     * topics of its own topic's words, and each topic of the documents found.
     */
    public void check(double[][] byTopic, Outcome outcome) {
        Near near = new Near(outcome, BOUND);
        double[] sums = new double[words];
        double right = 0;
        boolean[] seen = new boolean[TOPICS];
        for (double[] model : byTopic) {
            double[] of = new double[TOPICS];
            for (int word = 0; word < words; word++) {
                sums[word] += model[word];
                of[word % TOPICS] += model[word];
            }
            double most = Arrays.stream(of).max().orElse(0);
            right += most;
            for (int topic = 0; topic < TOPICS; topic++) {
                seen[topic] |= of[topic] > OWN * Arrays.stream(of).sum();
            }
        }
        near.same("count of word", sums, counts());
        near.report();
        for (int topic = 0; topic < TOPICS; topic++) {
            if (!seen[topic]) {
                outcome.problem("no topic of the model has nearly only words of topic " + topic);
            }
        }
        Accuracy.check("words in a topic of their own", right, (double) LENGTH * documents, OWN, outcome);
    }
}
