package io.weft.core;

import picocli.CommandLine.Option;

/** The options that say which ranks. */
public final class RankOptions {
    @Option(names = "--vertices", required = true)
    @Bounds(min = 1, max = PowerGraph.MOST)
    private int vertices;

    @Option(names = "--rounds")
    @Bounds(min = 0, max = 100_000)
    private int rounds = 10;

    @Option(names = "--damping")
    @Bounds(min = 0, max = 1)
    private double damping = 0.85;

    @Option(names = "--dangling")
    private Dangling dangling = Dangling.SPREAD;

    @Option(names = "--edges")
    private Edges edges = Edges.KEEP;

    /** What becomes of the ranks of vertices without out-edges. */
    private enum Dangling { SPREAD, LEAK }

    /** What edges with the same ends count. */
    private enum Edges { KEEP, MERGE }

    /** The definition that they give. */
    public RankSpec spec() {
        return new RankSpec(vertices, rounds, damping, dangling == Dangling.SPREAD, edges == Edges.MERGE);
    }
}
