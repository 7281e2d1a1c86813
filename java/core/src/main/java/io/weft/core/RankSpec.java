package io.weft.core;

import java.io.Serializable;

/**
 * The one definition of PageRank: each vertex begins with 1/N, and a round gives it (1 - damping)/N + damping times
 * what comes along its in-edges, each vertex giving its rank in equal shares along its out-edges.
 *
 * @param vertices N; they are numbered from 0
 * @param rounds how many
 * @param damping the share that follows edges
 * @param spread whether the ranks of vertices without out-edges go to all vertices in equal shares;
 *               otherwise they are lost
 * @param merge whether edges with the same ends count as one; otherwise each counts
 */
public record RankSpec(int vertices, int rounds, double damping, boolean spread, boolean merge)
        implements Serializable {
    /** The line that a vertex is in an output; its rank is read back as it was. */
    public static String line(long vertex, double rank) {
        return vertex + "\t" + rank;
    }

    /** The rank that all vertices begin with. */
    public double first() {
        return 1.0 / vertices;
    }

    /** The rank after a round, from what came along the in-edges and the sum of the ranks without out-edges. */
    public double next(double came, double dangling) {
        double all = spread ? dangling / vertices : 0;
        return (1 - damping) / vertices + damping * (came + all);
    }
}
