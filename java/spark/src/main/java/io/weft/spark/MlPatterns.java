package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.ml.Baskets;
import io.weft.core.ml.PatternsCheck;
import io.weft.core.ml.Sequences;
import io.weft.core.ml.Table;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.classification.NaiveBayes;
import org.apache.spark.mllib.classification.NaiveBayesModel;
import org.apache.spark.mllib.fpm.FPGrowth;
import org.apache.spark.mllib.fpm.PrefixSpan;
import org.apache.spark.mllib.regression.LabeledPoint;

/** Frequent sets and sequences, and naive Bayes. */
final class MlPatterns {
    private MlPatterns() {
    }

    static void itemsets(MlData data, Answer answer) throws Exception {
        Baskets baskets = data.spec.baskets();
        JavaRDD<List<Integer>> rows = data.made(baskets.baskets(), baskets::basket);
        List<FPGrowth.FreqItemset<Integer>> found = data.measured(() -> new FPGrowth()
                .setMinSupport(data.spec.support()).run(rows).freqItemsets().toJavaRDD().collect());
        for (FPGrowth.FreqItemset<Integer> set : found) {
            answer.put(PatternsCheck.set(set.javaItems().stream().sorted().toList()), set.freq());
        }
    }

    static void sequences(MlData data, Answer answer) throws Exception {
        Sequences sequences = data.spec.sequences();
        JavaRDD<List<List<Integer>>> rows = data.made(sequences.sequences(), sequences::sequence);
        PrefixSpan search = new PrefixSpan().setMinSupport(data.spec.support())
                .setMaxPatternLength(data.spec.longest());
        List<PrefixSpan.FreqSequence<Integer>> found = data
                .measured(() -> search.run(rows).freqSequences().toJavaRDD().collect());
        for (PrefixSpan.FreqSequence<Integer> pattern : found) {
            List<List<Integer>> sets = new ArrayList<>();
            pattern.javaSequence().forEach(set -> sets.add(set.stream().sorted().toList()));
            answer.put(PatternsCheck.sequence(sets), pattern.freq());
        }
    }

    static void bayes(MlData data, Answer answer) throws Exception {
        Table table = data.spec.categories();
        JavaRDD<LabeledPoint> points = data.labelled(table.rows(), table::row);
        NaiveBayesModel found = data.measured(() -> NaiveBayes.train(points.rdd(), 1.0, "multinomial"));
        for (int at = 0; at < found.labels().length; at++) {
            int label = (int) found.labels()[at];
            answer.putNumbers("share " + label, found.pi()[at]).putNumbers("features " + label, found.theta()[at]);
        }
    }
}
