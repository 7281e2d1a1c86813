package io.weft.core;

import picocli.CommandLine.Option;

/** The options that decide, with the number of vertices, which edges a generated graph has. */
final class GraphOptions {
    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed;

    @Option(names = "--self-edges")
    private SelfEdges selfEdges = SelfEdges.KEEP;

    /** Whether the graph has edges that lead to where they began. */
    private enum SelfEdges { KEEP, DROP }

    PowerGraph graph(int vertices) {
        return new PowerGraph(vertices, seed, selfEdges == SelfEdges.KEEP);
    }
}
