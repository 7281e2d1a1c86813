package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.ml.Baskets;
import io.weft.core.ml.Bayes;
import io.weft.core.ml.Counted;
import io.weft.core.ml.Near;
import io.weft.core.ml.Sequences;
import io.weft.core.ml.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    static void itemsets(MlData data, Outcome outcome) throws Exception {
        Baskets baskets = new Baskets(data.seeded(), data.sizes.rows(), data.sizes.columns());
        JavaRDD<List<Integer>> rows = data.made(baskets.baskets(), baskets::basket);
        List<FPGrowth.FreqItemset<Integer>> found = data.measured(() -> new FPGrowth()
                .setMinSupport(data.sizes.support()).run(rows).freqItemsets().toJavaRDD().collect());
        List<Map.Entry<List<Integer>, Long>> counted = new ArrayList<>();
        for (FPGrowth.FreqItemset<Integer> set : found) {
            counted.add(Map.entry(set.javaItems().stream().sorted().toList(), set.freq()));
        }
        Counted.check(counted, baskets.frequent(least(data, baskets.baskets())), outcome);
    }

    static void sequences(MlData data, Outcome outcome) throws Exception {
        Sequences sequences = new Sequences(data.seeded(), data.sizes.rows(), data.sizes.columns());
        JavaRDD<List<List<Integer>>> rows = data.made(sequences.sequences(), sequences::sequence);
        PrefixSpan search = new PrefixSpan().setMinSupport(data.sizes.support())
                .setMaxPatternLength(data.sizes.longest());
        List<PrefixSpan.FreqSequence<Integer>> found = data
                .measured(() -> search.run(rows).freqSequences().toJavaRDD().collect());
        List<Map.Entry<List<List<Integer>>, Long>> counted = new ArrayList<>();
        for (PrefixSpan.FreqSequence<Integer> pattern : found) {
            List<List<Integer>> sets = new ArrayList<>();
            pattern.javaSequence().forEach(set -> sets.add(set.stream().sorted().toList()));
            counted.add(Map.entry(sets, pattern.freq()));
        }
        Counted.check(counted, sequences.frequent(least(data, sequences.sequences()), data.sizes.longest()), outcome);
    }

    /** MLlib rounds the same product up. */
    private static long least(MlData data, int all) {
        return (long) Math.ceil(data.sizes.support() * all);
    }

    static void bayes(MlData data, Outcome outcome) throws Exception {
        Table table = data.categories();
        JavaRDD<LabeledPoint> points = data.labelled(table.rows(), table::row);
        NaiveBayesModel found = data.measured(() -> NaiveBayes.train(points.rdd(), 1.0, "multinomial"));
        Bayes right = Bayes.of(table, 1.0);
        outcome.same("labels", found.labels().length, right.pi().length);
        Near near = new Near(outcome, 1e-9);
        for (int at = 0; at < found.labels().length && found.labels().length == right.pi().length; at++) {
            int label = (int) found.labels()[at];
            near.same("share of label " + label, found.pi()[at], right.pi()[label]);
            near.same("features of label " + label, found.theta()[at], right.theta()[label]);
        }
        near.report();
    }
}
