package io.weft.core;

/**
 * A directed graph with power laws on both sides. A vertex has d out-edges, below 1000, with odds (d+1)^-1.7: about
 * half have none. The target of an edge is the vertex of rank N u^4, u uniform in [0, 1): in-degrees fall with exponent
 * 7/3. Ranks are spread over the vertices, and edges may be repeated or lead to where they began. Seed and number alone
 * decide the edges of a vertex. Edges that lead to where they began can be left out.
 */
public final class PowerGraph {
    /** More than the most out-edges of a vertex. */
    public static final int DEGREES = 1000;
    /** The most vertices; the spread below must have no factor with their number. */
    public static final int MOST = 1_000_000_000;
    private static final double OUT_EXPONENT = 1.7;
    private static final long SPREAD = 1_000_000_007;
    private static final long GAMMA = 0x9e3779b97f4a7c15L;
    private static final Alias OUT = Alias.zipf(DEGREES, OUT_EXPONENT);

    private final int vertices;
    private final long seed;
    private final boolean selfEdges;
    private long state;

    /** A graph of a number of vertices, numbered from 0, with the edges that lead to where they began. */
    public PowerGraph(int vertices, long seed) {
        this(vertices, seed, true);
    }

    /** The same, with those edges or without them. */
    public PowerGraph(int vertices, long seed, boolean selfEdges) {
        this.vertices = vertices;
        this.selfEdges = selfEdges;
        this.seed = Hash64.mix(seed + GAMMA);
    }

    /** Puts the targets of the edges of a vertex into an array of {@link #DEGREES}, and gives their number. */
    int targets(int vertex, int[] to) {
        state = Hash64.mix(seed + vertex * GAMMA);
        int drawn = OUT.draw(next());
        int degree = 0;
        for (int i = 0; i < drawn; i++) {
            double u = (next() >>> 11) * 0x1p-53;
            double square = u * u;
            long rank = (long) (vertices * (square * square));
            int target = (int) (rank * SPREAD % vertices);
            if (selfEdges || target != vertex) {
                to[degree++] = target;
            }
        }
        return degree;
    }

    private long next() {
        return Hash64.mix(state += GAMMA);
    }
}
