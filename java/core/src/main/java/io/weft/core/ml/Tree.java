package io.weft.core.ml;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import io.weft.core.WrongInput;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A decision tree between two labels. The root has number 1; below node n are 2n, for rows whose feature is not above the
 * threshold, and 2n + 1.
 *
 * @param nodes by number
 */
record Tree(Map<Integer, Node> nodes) {
    private static final double BOUND = 1e-9;
    private static final int LABELS = 2;
    private static final int OF_LEAF = 3;
    private static final int OF_SPLIT = 5;
    private static final int MOST = 1 << 30;

    /**
     * A node.
     *
     * @param label what it decides
     * @param share of its rows that have this label
     * @param impurity of its rows (Gini)
     * @param feature by which its rows are divided, or -1 if they are not
     * @param threshold of that feature
     */
    record Node(double label, double share, double impurity, int feature, double threshold) {
    }

    /** Takes the nodes of an answer: label, share and impurity, and of an inner one feature and threshold. */
    static Tree of(Answer answer) throws WrongInput {
        Map<Integer, Node> nodes = new HashMap<>();
        take(answer, 1, nodes);
        return new Tree(nodes);
    }

    private static void take(Answer answer, int number, Map<Integer, Node> nodes) throws WrongInput {
        double[] found = answer.numbers("node " + number);
        if (found.length != OF_LEAF && found.length != OF_SPLIT || number > MOST) {
            throw new WrongInput("Node " + number + " of the tree has " + found.length + " numbers.");
        }
        boolean leaf = found.length == OF_LEAF;
        nodes.put(number, new Node(found[0], found[1], found[2], leaf ? -1 : (int) found[OF_LEAF], leaf ? 0 : found[OF_LEAF + 1]));
        if (!leaf) {
            take(answer, 2 * number, nodes);
            take(answer, 2 * number + 1, nodes);
        }
    }

    private int next(int number, double[] row) {
        Node node = nodes.get(number);
        return 2 * number + (row[node.feature] <= node.threshold ? 0 : 1);
    }

    /** What the tree says of a row. */
    double decide(double[] row) {
        int at = 1;
        while (nodes.get(at).feature >= 0) {
            at = next(at, row);
        }
        return nodes.get(at).label;
    }

    /** Sends all rows of a table down the tree: each node must be what they make it. */
    void check(Planted table, Outcome outcome) {
        for (Map.Entry<Integer, Node> one : nodes.entrySet()) {
            if (one.getValue().feature >= table.columns() - 1) {
                outcome.problem("node " + one.getKey() + " divides by feature " + one.getValue().feature);
                return;
            }
        }
        List<Integer> numbers = List.copyOf(nodes.keySet());
        Map<Integer, Integer> places = new HashMap<>();
        numbers.forEach(number -> places.put(number, places.size()));
        double[][] labels = Rows.sums(table, numbers.size(), LABELS, (all, row) -> {
            int label = (int) row[table.columns() - 1];
            for (int at = 1; at > 0; at = nodes.get(at).feature >= 0 ? next(at, row) : 0) {
                all[places.get(at)][label]++;
            }
        });
        Near near = new Near(outcome, BOUND);
        for (int at = 0; at < labels.length; at++) {
            compare(numbers.get(at), nodes.get(numbers.get(at)), labels[at], near);
        }
        near.report();
    }

    private static void compare(int number, Node node, double[] labels, Near near) {
        double all = labels[0] + labels[1];
        double share = labels[1] / all;
        near.same("label of node " + number, node.label, labels[1] > labels[0] ? 1 : 0);
        near.same("share of node " + number, node.share, Math.max(share, 1 - share));
        near.same("impurity of node " + number, node.impurity, 1 - share * share - (1 - share) * (1 - share));
    }
}
