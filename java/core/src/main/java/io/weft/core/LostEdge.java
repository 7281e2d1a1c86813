package io.weft.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Works out what {@link PageRankValidate} can tell apart on a graph: the smallest change of a rank, as a share of it, by the
 * loss of one edge; and the largest by the order in which the blocks of a job add up the same numbers. Where all edges of a
 * source lead to one target, the loss of one of them changes no rank, and the ranks are right.
 */
public final class LostEdge extends Program {
    @Mixin
    private RankOptions rank;

    @Mixin
    private GraphOptions graph;

    /** Of so many edges with the smallest share of their target's rank, the loss is computed round by round. */
    @Option(names = "--tried")
    @Bounds(min = 1, max = 1000)
    private int tried = 2;

    /** Blocks of a job. */
    @Option(names = "--blocks", split = ",")
    private int[] blocks = {4, 64};

    /** An edge by its place among those of its source, and its share of the rank that its target gets. */
    record Edge(int source, int place, int target, double share) {
    }

    public static void main(String[] args) {
        main(new LostEdge(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        RankSpec spec = rank.spec();
        if (spec.merge()) {
            throw new UsageError("The loss of an edge that another one repeats changes nothing: --edges must be keep.");
        }
        PowerGraph edges = graph.graph(spec.vertices());
        double[] right = PageRankValidate.reference(spec, edges::targets);
        double least = Double.MAX_VALUE;
        List<Edge> weakest = weakest(spec, edges, right, tried);
        for (Edge edge : weakest) {
            double[] lost = PageRankValidate.reference(spec, without(edges, edge));
            least = Math.min(least, largest(lost, right));
        }
        double rounding = 0;
        for (int count : blocks) {
            rounding = Math.max(rounding, largest(byBlocks(spec, edges, count), right));
        }
        outcome.put("vertices", spec.vertices()).put("smallest_share", weakest.get(0).share())
                .put("smallest_change", least).put("rounding", rounding).put("bound", PageRankValidate.BOUND);
        if (least <= PageRankValidate.BOUND || rounding > PageRankValidate.BOUND) {
            outcome.problem("the bound " + PageRankValidate.BOUND + " is not between " + rounding + " and " + least);
        }
    }

    /** Whether the loss of one edge changes no rank: the others of the same source lead to the same target. */
    static boolean withoutEffect(int[] targets, int degree) {
        return degree > 1 && Arrays.stream(targets, 1, degree).allMatch(target -> target == targets[0]);
    }

    /** Edges with the smallest shares of the ranks of their targets, in the last round; none of those without effect. */
    static List<Edge> weakest(RankSpec spec, PowerGraph graph, double[] right, int count) {
        RankSpec before = new RankSpec(spec.vertices(), Math.max(0, spec.rounds() - 1), spec.damping(), spec.spread(), false);
        double[] ranks = PageRankValidate.reference(before, graph::targets);
        PriorityQueue<Edge> weakest = new PriorityQueue<>(Comparator.comparingDouble(Edge::share).reversed());
        int[] targets = new int[PowerGraph.DEGREES];
        for (int source = 0; source < spec.vertices(); source++) {
            int degree = graph.targets(source, targets);
            if (withoutEffect(targets, degree)) {
                continue;
            }
            for (int place = 0; place < degree; place++) {
                double share = spec.damping() * ranks[source] / degree / right[targets[place]];
                if (weakest.size() < count || share < weakest.element().share()) {
                    weakest.add(new Edge(source, place, targets[place], share));
                    if (weakest.size() > count) {
                        weakest.remove();
                    }
                }
            }
        }
        List<Edge> found = new ArrayList<>(weakest);
        found.sort(Comparator.comparingDouble(Edge::share));
        return found;
    }

    /** The graph without an edge. */
    static PageRankValidate.Edges without(PowerGraph graph, Edge edge) {
        return (vertex, to) -> {
            int degree = graph.targets(vertex, to);
            if (vertex == edge.source()) {
                degree--;
                System.arraycopy(to, edge.place() + 1, to, edge.place(), degree - edge.place());
            }
            return degree;
        };
    }

    static double largest(double[] found, double[] right) {
        double largest = 0;
        for (int vertex = 0; vertex < right.length; vertex++) {
            largest = Math.max(largest, PageRankValidate.difference(found[vertex], right[vertex]));
        }
        return largest;
    }

    /** The ranks as engines compute them, by messages between blocks. */
    static double[] byBlocks(RankSpec spec, PowerGraph graph, int count) {
        RankBlock[] all = new RankBlock[count];
        for (int block = 0; block < count; block++) {
            all[block] = block(spec, graph, count, block);
        }
        for (int round = 0; round < spec.rounds(); round++) {
            RankBlock[] next = new RankBlock[count];
            for (int to = 0; to < count; to++) {
                RankBlock.Gather gather = new RankBlock.Gather(spec, count, to);
                for (RankBlock from : all) {
                    gather.add(java.nio.ByteBuffer.wrap(from.message(to)));
                }
                next[to] = all[to].with(gather.ranks());
            }
            all = next;
        }
        return Arrays.stream(all).flatMapToDouble(block -> Arrays.stream(block.ranks())).toArray();
    }

    private static RankBlock block(RankSpec spec, PowerGraph graph, int blocks, int block) {
        int first = RankBlock.first(spec, blocks, block);
        int end = RankBlock.first(spec, blocks, block + 1);
        int[] targets = new int[PowerGraph.DEGREES];
        long[] edges = new long[1024];
        int count = 0;
        for (int vertex = first; vertex < end; vertex++) {
            int degree = graph.targets(vertex, targets);
            for (int i = 0; i < degree; i++) {
                edges = count < edges.length ? edges : Arrays.copyOf(edges, 2 * count);
                edges[count++] = (long) targets[i] << Integer.SIZE | vertex;
            }
        }
        return RankBlock.build(spec, blocks, block, edges, count);
    }
}
