package io.weft.core.ml;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import io.weft.core.WrongInput;
import java.util.Arrays;

/** Statistics of columns, correlations, and Pearson's tests, from two passes over the data. */
final class StatisticsCheck {
    private static final double BOUND = 1e-9;

    private StatisticsCheck() {
    }

    static void summary(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Moments right = Moments.of(spec.mixed());
        outcome.same("count", answer.wholes("count", 1)[0], right.count());
        Near near = new Near(outcome, BOUND);
        near.same("mean", answer.numbers("mean"), right.mean());
        near.same("variance", answer.numbers("variance"), right.variance());
        near.same("least", answer.numbers("least"), right.least());
        near.same("greatest", answer.numbers("greatest"), right.greatest());
        near.same("nonzeros", answer.numbers("nonzeros"), right.nonzeros());
        near.same("sum of absolute values", answer.numbers("absolute"), right.absolute());
        near.same("norm", answer.numbers("norm"), right.norm());
        near.report();
    }

    static void pearson(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        correlation(spec.mixed(), answer, outcome);
    }

    static void spearman(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        correlation(new Ranks(spec.mixed()), answer, outcome);
    }

    private static void correlation(Table compared, Answer answer, Outcome outcome) throws WrongInput {
        double[][] right = Moments.correlation(compared);
        Near near = new Near(outcome, BOUND);
        for (int column = 0; column < right.length; column++) {
            near.same("correlations of column " + column, answer.numbers("correlations " + column), right[column]);
        }
        near.report();
    }

    static void feature(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Table table = spec.categories();
        double freedom = (Categories.NUMBER - 1) * (Categories.NUMBER - 1);
        double[][][] counts = ChiSquare.counts(table);
        Near near = new Near(outcome, BOUND);
        for (int feature = 0; feature < counts.length; feature++) {
            near.same("statistic and degrees of freedom of feature " + feature, answer.numbers("feature " + feature),
                    new double[] {ChiSquare.independence(counts[feature]), freedom});
        }
        near.report();
    }

    static void fit(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        double[] counts = new double[spec.rows()];
        Arrays.setAll(counts, row -> spec.count(row, 0));
        whole(answer, ChiSquare.fit(counts), counts.length - 1, outcome);
    }

    static void matrix(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        double[][] counts = new double[spec.rows()][spec.columns()];
        for (int row = 0; row < counts.length; row++) {
            int own = row;
            Arrays.setAll(counts[row], column -> spec.count(own, column));
        }
        whole(answer, ChiSquare.independence(counts), (spec.rows() - 1.0) * (spec.columns() - 1), outcome);
    }

    private static void whole(Answer answer, double statistic, double freedom, Outcome outcome) throws WrongInput {
        Near near = new Near(outcome, BOUND);
        near.same("statistic and degrees of freedom", answer.numbers("result"), new double[] {statistic, freedom});
        near.report();
    }
}
