package io.weft.core.ml;

import io.weft.core.Outcome;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Vertices in communities: edges within one are similar by one, two, three or four times a random number; those to others
 * are a thousand times less similar.
 *
 * @param seeded draws the edges
 * @param vertices number of vertices
 * @param degree edges drawn for each vertex, each of which has two ends
 */
public record Communities(Seeded seeded, long vertices, int degree) implements Serializable {
    /** The number of communities. */
    public static final int NUMBER = 4;
    private static final double WEAK = 0.001;

    /** An edge between two different vertices. */
    public record Edge(long one, long other, double similarity) implements Serializable {
        /** The hash of what a method reads of it. */
        public long hash() {
            return ReadTally.hash(one, other, similarity);
        }
    }

    private static int of(long vertex) {
        return (int) (vertex % NUMBER);
    }

    /** The edges drawn for a vertex; the last one leads anywhere. */
    public List<Edge> edges(long vertex) {
        List<Edge> found = new ArrayList<>();
        int own = of(vertex);
        long members = (vertices - own + NUMBER - 1) / NUMBER;
        for (int edge = 0; edge < degree; edge++) {
            long other = own + NUMBER * (long) (seeded.uniform(vertex, 2L * edge) * members);
            add(found, vertex, other, (1 + own) * 2 * seeded.uniform(vertex, 2L * edge + 1));
        }
        add(found, vertex, (long) (seeded.uniform(vertex, -1) * vertices), WEAK);
        return found;
    }

    private static void add(List<Edge> edges, long one, long other, double similarity) {
        if (one != other) {
            edges.add(new Edge(one, other, similarity));
        }
    }

    /** Two vertices must be in one cluster if and only if they are in one community. */
    public void check(int[] clusters, Outcome outcome) {
        outcome.same("different clusters of the first vertices", Arrays.stream(clusters, 0, NUMBER).distinct().count(),
                (long) NUMBER);
        for (int vertex = 0; vertex < vertices; vertex++) {
            if (clusters[vertex] != clusters[of(vertex)]) {
                outcome.problem("vertex " + vertex + " is in cluster " + clusters[vertex] + ", vertex " + of(vertex)
                        + " in " + clusters[of(vertex)] + ", both of community " + of(vertex));
                return;
            }
        }
    }
}
