package io.weft.core.ml;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import io.weft.core.WrongInput;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Frequent sets and sequences, and naive Bayes. */
public final class PatternsCheck {
    private static final double BOUND = 1e-9;

    private PatternsCheck() {
    }

    /** The name of a set's line: its items in order. */
    public static String set(List<Integer> items) {
        return items.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** The name of a sequence's line: its sets, each in order. */
    public static String sequence(List<List<Integer>> sets) {
        return sets.stream().map(PatternsCheck::set).collect(Collectors.joining(", "));
    }

    static void itemsets(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        counted(answer, spec.baskets().frequent(spec.least()), PatternsCheck::set, outcome);
    }

    static void sequences(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        counted(answer, spec.sequences().frequent(spec.least(), spec.longest()), PatternsCheck::sequence, outcome);
    }

    /** Every pattern must be there with its count; what is left then is no frequent pattern. */
    static <T> void counted(Answer answer, Map<List<T>, Long> right, Function<List<T>, String> name, Outcome outcome)
            throws WrongInput {
        for (Map.Entry<List<T>, Long> one : right.entrySet()) {
            outcome.same("count of the pattern " + name.apply(one.getKey()),
                    answer.wholes(name.apply(one.getKey()), 1)[0], one.getValue());
        }
        outcome.put("patterns", right.size());
    }

    static void bayes(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Bayes right = Bayes.of(spec.categories(), 1.0);
        Near near = new Near(outcome, BOUND);
        for (int label = 0; label < right.pi().length; label++) {
            near.same("share of label " + label, answer.numbers("share " + label), new double[] {right.pi()[label]});
            near.same("features of label " + label, answer.numbers("features " + label), right.theta()[label]);
        }
        near.report();
    }
}
