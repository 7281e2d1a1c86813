package io.weft.core.ml;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import io.weft.core.WrongInput;

/** Models that have to find what was put into their data. */
public final class ModelsCheck {
    /** The weight of a model's size in the loss of ALS, for each rating. */
    public static final double PENALTY = 1e-3;
    private static final double GRADIENT = 1e-5;
    private static final double ERROR = 0.05;
    private static final double DECIDED = 0.97;

    private ModelsCheck() {
    }

    static void regression(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        least(spec.planted(Planted.What.LINE), answer.numbers("weights"), outcome);
    }

    static void classification(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        least(spec.planted(Planted.What.ODDS), answer.numbers("weights"), outcome);
    }

    /** Where the loss is least its gradient is zero. The intercept is the last weight. */
    private static void least(Planted table, double[] weights, Outcome outcome) {
        outcome.same("number of weights", weights.length, table.columns());
        if (outcome.valid()) {
            Near near = new Near(outcome, GRADIENT);
            near.same("gradient at weight", table.gradient(weights), new double[weights.length]);
            near.report();
        }
    }

    /** Every row was read, each node is what its rows make it, and rows that are not in the data are decided rightly. */
    static void tree(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Planted table = spec.planted(Planted.What.TREE);
        ReadTally.check(spec, answer, number -> ReadTally.hash(table.row(number)), outcome);
        Tree tree = Tree.of(answer);
        tree.check(table, outcome);
        Planted fresh = spec.fresh();
        int right = 0;
        for (int number = 0; number < fresh.rows(); number++) {
            double[] row = fresh.row(number);
            right += tree.decide(row) == Planted.decided(row) ? 1 : 0;
        }
        Accuracy.check("fresh rows that the tree decides rightly", right, fresh.rows(), DECIDED, outcome);
    }

    /** Every rating was read, no user's factors could be better, and ratings that were not shown are found. */
    static void ratings(MlSpec spec, Answer answer, Outcome outcome) throws WrongInput {
        Ratings ratings = spec.ratings();
        ReadTally.checkSeveral(spec, answer, ratings.hashes(), outcome);
        double[][] users = factors(answer, "user ", ratings.users(), spec.rank());
        double[][] products = factors(answer, "product ", ratings.products(), spec.rank());
        Near near = new Near(outcome, GRADIENT);
        ratings.stationary(users, products, PENALTY, near);
        near.report();
        double error = ratings.error((user, product) -> Product.dot(users[user], products[product]));
        outcome.put("error", error).put("largest_error", ERROR);
        if (!(error <= ERROR)) {
            outcome.problem("ratings that were not shown are " + error + " of their size off, more than " + ERROR);
        }
    }

    /** Factors by number; zeros where there are none, as of a user who has shown no rating. */
    private static double[][] factors(Answer answer, String name, int count, int rank) throws WrongInput {
        double[][] found = new double[count][rank];
        for (int number = 0; number < count; number++) {
            if (answer.has(name + number)) {
                found[number] = answer.numbers(name + number);
                if (found[number].length != rank) {
                    throw new WrongInput("The answer has " + found[number].length + " factors of " + name + number + ".");
                }
            }
        }
        return found;
    }
}
