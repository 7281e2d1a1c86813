package io.weft.core.ml;

import io.weft.core.Answer;
import io.weft.core.AnswerCheck;
import io.weft.core.Outcome;
import io.weft.core.UsageError;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine.Mixin;

/**
 * Checks a test of MLlib without any engine: the data is drawn again, and the answer compared with one that is computed in
 * another way, or with what was put into the data.
 */
public final class MlValidate extends AnswerCheck {
    /** Checks the answer of one test. */
    @FunctionalInterface
    interface Check {
        void check(MlSpec spec, Answer answer, Outcome outcome) throws Exception;
    }

    private static final Map<String, Check> TESTS = Map.ofEntries(
            Map.entry("summary-statistics", StatisticsCheck::summary), Map.entry("pearson", StatisticsCheck::pearson),
            Map.entry("spearman", StatisticsCheck::spearman), Map.entry("chi-sq-feature", StatisticsCheck::feature),
            Map.entry("chi-sq-gof", StatisticsCheck::fit), Map.entry("chi-sq-mat", StatisticsCheck::matrix),
            Map.entry("svd", AlgebraCheck::svd), Map.entry("pca", AlgebraCheck::pca),
            Map.entry("block-matrix-mult", AlgebraCheck::product), Map.entry("fp-growth", PatternsCheck::itemsets),
            Map.entry("prefix-span", PatternsCheck::sequences), Map.entry("naive-bayes", PatternsCheck::bayes),
            Map.entry("glm-regression", ModelsCheck::regression),
            Map.entry("glm-classification", ModelsCheck::classification), Map.entry("decision-tree", ModelsCheck::tree),
            Map.entry("als", ModelsCheck::ratings), Map.entry("kmeans", FoundCheck::centres),
            Map.entry("gmm", FoundCheck::mixture), Map.entry("pic", FoundCheck::communities),
            Map.entry("lda", FoundCheck::topics), Map.entry("word2vec", FoundCheck::synonyms));

    @Mixin
    private MlOptions options;

    public static void main(String[] args) {
        main(new MlValidate(), args);
    }

    /** @throws UsageError when there is no such test */
    public static void requireTest(String test) {
        if (!TESTS.containsKey(test)) {
            throw new UsageError("Option --test must be one of " + String.join(", ", new TreeSet<>(TESTS.keySet()))
                    + ", not " + test + ".");
        }
    }

    @Override
    protected void check(Answer answer, Outcome outcome) throws Exception {
        MlSpec spec = options.spec();
        requireTest(spec.test());
        outcome.put("test", spec.test()).put("rows", spec.rows()).put("columns", spec.columns());
        TESTS.get(spec.test()).check(spec, answer, outcome);
    }
}
