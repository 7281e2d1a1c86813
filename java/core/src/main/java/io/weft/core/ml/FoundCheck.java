package io.weft.core.ml;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import io.weft.core.WrongInput;
import java.util.HashMap;
import java.util.Map;

/** Groups of rows, of vertices and of words that have to be found. */
final class FoundCheck {
    private static final double BOUND = 1e-6;

    private FoundCheck() {
    }

    static void centres(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Near near = new Near(outcome, BOUND);
        Groups.of(spec.planted(Planted.What.GROUPS)).recovered(answer.rows("centre"), near);
        near.report();
    }

    static void mixture(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        double[] shares = answer.numbers("shares");
        double[][][] covariances = new double[shares.length][][];
        for (int group = 0; group < shares.length; group++) {
            covariances[group] = answer.rows("covariance " + group);
        }
        double[][] means = answer.rows("mean");
        outcome.same("number of means", means.length, shares.length);
        for (double[][] covariance : covariances) {
            outcome.same("rows of a covariance", covariance.length, spec.columns() - 1);
        }
        if (outcome.valid()) {
            Near near = new Near(outcome, BOUND);
            Groups.of(spec.planted(Planted.What.GROUPS)).mixed(new Groups(shares, means, covariances), near);
            near.report();
        }
    }

    static void communities(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Communities graph = spec.communities();
        ReadTally.checkSeveral(spec, answer,
                vertex -> graph.edges(vertex).stream().mapToLong(Communities.Edge::hash).toArray(), outcome);
        int[] clusters = new int[spec.rows()];
        for (int vertex = 0; vertex < clusters.length; vertex++) {
            clusters[vertex] = (int) answer.wholes("vertex " + vertex, 1)[0];
        }
        graph.check(clusters, outcome);
    }

    static void topics(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        spec.documents().check(answer.rows("topic"), outcome);
    }

    static void synonyms(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Synonyms sentences = spec.sentences();
        ReadTally.check(spec, answer, number -> ReadTally.hash(sentences.sentence(number)), outcome);
        Map<String, double[]> vectors = new HashMap<>();
        for (String word : answer.names()) {
            vectors.put(word, answer.numbers(word));
        }
        sentences.check(vectors, outcome);
    }
}
