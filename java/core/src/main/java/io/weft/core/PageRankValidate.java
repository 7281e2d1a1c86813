package io.weft.core;

import java.io.IOException;
import java.util.Arrays;
import java.util.TreeMap;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Checks the output of PageRank, lines of vertex, tab and rank: every vertex is there once, and its rank differs from a
 * reference by no more than a share of it. The reference draws the edges from the generator again in each round.
 */
public final class PageRankValidate extends Program {
    /** Above what the order of sums changes, below what any lost edge does; {@link LostEdge} computes both. */
    static final double BOUND = 1e-11;

    @Mixin
    private RankOptions rank;

    @Option(names = "--input", required = true)
    private String input;

    @Mixin
    private GraphOptions graph;

    @Option(names = "--bound")
    @Bounds(min = 0, max = 2)
    private double bound = BOUND;

    public static void main(String[] args) {
        main(new PageRankValidate(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        RankSpec spec = rank.spec();
        double[] found = read(input, spec.vertices(), outcome);
        double[] right = reference(spec, graph.graph(spec.vertices())::targets);
        double sum = 0;
        double difference = -1;
        int worst = 0;
        int missing = 0;
        for (int vertex = 0; vertex < right.length; vertex++) {
            if (Double.isNaN(found[vertex])) {
                missing++;
            } else {
                double off = difference(found[vertex], right[vertex]);
                sum += found[vertex];
                worst = off > difference ? vertex : worst;
                difference = Math.max(difference, off);
            }
        }
        if (missing > 0) {
            outcome.problem(missing + " of " + right.length + " vertices are missing");
        }
        if (difference > bound) {
            outcome.problem("the rank of vertex " + worst + " is " + found[worst] + ", expected " + right[worst] + ": it differs by "
                    + difference + " of it from the reference, more than " + bound);
        }
        outcome.put("vertices", right.length).put("difference", difference).put("bound", bound).put("sum", sum);
    }

    /** How much a rank differs from the right one, as a share of it. */
    static double difference(double found, double right) {
        return found == right ? 0 : Math.min(Double.MAX_VALUE, Math.abs(found - right) / right);
    }

    /** Puts the targets of the edges of a vertex into an array of {@link PowerGraph#DEGREES}, and gives their number. */
    interface Edges {
        int targets(int vertex, int[] to);
    }

    private static double[] read(String directory, int vertices, Outcome outcome) throws IOException {
        double[] ranks = new double[vertices];
        Arrays.fill(ranks, Double.NaN);
        TreeMap<Integer, Store.Input> parts = PartFiles.in(directory);
        int gap = PartFiles.gap(parts);
        if (gap >= 0) {
            outcome.problem("part " + gap + " is missing in " + directory);
        }
        long repeated = 0;
        for (Store.Input file : parts.values()) {
            try (Lines lines = new Lines(file)) {
                while (lines.next()) {
                    repeated += put(lines.text(), ranks, file) ? 0 : 1;
                }
            }
        }
        if (repeated > 0) {
            outcome.problem(repeated + " vertices are there twice");
        }
        return ranks;
    }

    /** Whether the vertex is new. */
    private static boolean put(String line, double[] ranks, Store.Input file) throws WrongInput {
        try {
            int tab = line.indexOf('\t');
            int vertex = Integer.parseInt(line.substring(0, Math.max(0, tab)));
            double rank = Double.parseDouble(line.substring(tab + 1));
            if (vertex >= 0 && vertex < ranks.length && Double.isFinite(rank)) {
                boolean isNew = Double.isNaN(ranks[vertex]);
                ranks[vertex] = rank;
                return isNew;
            }
        } catch (NumberFormatException notANumber) {
            // falls through to the one message for all bad lines
        }
        throw new WrongInput("The file " + file.name() + " has a line that is no vertex and rank: " + line);
    }

    /** The ranks by the definition, one edge after another. */
    static double[] reference(RankSpec spec, Edges graph) {
        Progress progress = new Progress(spec.rounds());
        int[] targets = new int[PowerGraph.DEGREES];
        double[] ranks = new double[spec.vertices()];
        Arrays.fill(ranks, spec.first());
        for (int round = 0; round < spec.rounds(); round++) {
            double[] came = new double[ranks.length];
            Sum dangling = new Sum();
            for (int vertex = 0; vertex < ranks.length; vertex++) {
                int degree = graph.targets(vertex, targets);
                degree = spec.merge() ? distinct(targets, degree) : degree;
                dangling.add(degree == 0 ? ranks[vertex] : 0);
                for (int i = 0; i < degree; i++) {
                    came[targets[i]] += ranks[vertex] / degree;
                }
            }
            for (int vertex = 0; vertex < ranks.length; vertex++) {
                ranks[vertex] = spec.next(came[vertex], dangling.value());
            }
            progress.add(1);
        }
        return ranks;
    }

    private static int distinct(int[] targets, int degree) {
        Arrays.sort(targets, 0, degree);
        int kept = 0;
        for (int i = 0; i < degree; i++) {
            if (i == 0 || targets[i] != targets[i - 1]) {
                targets[kept++] = targets[i];
            }
        }
        return kept;
    }
}
