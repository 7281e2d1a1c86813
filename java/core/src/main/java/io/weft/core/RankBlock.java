package io.weft.core;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A stretch of vertices with their out-edges and ranks. Each round it sends every block one message, in which what goes
 * to one vertex is added up already, and makes its next ranks of the messages that it gets. Engines carry messages and
 * blocks, as bytes.
 */
public final class RankBlock implements Serializable {
    private static final long serialVersionUID = 1L;

    private final RankSpec spec;
    private final int blocks;
    private final int block;
    private final double[] ranks;
    /** One over the number of out-edges, or 0 where there is none. */
    private final double[] shares;
    /**
     * Distinct targets, ascending; the edges to target i come from sources[starts[i]] to sources[starts[i + 1] - 1].
     */
    private final int[] targets;
    private final int[] starts;
    private final int[] sources;

    private RankBlock(RankSpec spec, int blocks, int block, double[] ranks, double[] shares, int[] targets,
            int[] starts, int[] sources) {
        this.spec = spec;
        this.blocks = blocks;
        this.block = block;
        this.ranks = ranks;
        this.shares = shares;
        this.targets = targets;
        this.starts = starts;
        this.sources = sources;
    }

    /** The block that a vertex is in. */
    public static int of(int vertex, int vertices, int blocks) {
        return vertex / width(vertices, blocks);
    }

    private static int width(int vertices, int blocks) {
        return (vertices - 1) / blocks + 1;
    }

    static int first(RankSpec spec, int blocks, int block) {
        return (int) Math.min(spec.vertices(), (long) width(spec.vertices(), blocks) * block);
    }

    /** How many blocks the graph has. */
    public int blocks() {
        return blocks;
    }

    /** The first vertex. */
    public int first() {
        return first(spec, blocks, block);
    }

    /**
     * A block before the first round.
     *
     * @param edges of its vertices, target in the upper and source in the lower half of each number; sorted in place
     */
    public static RankBlock build(RankSpec spec, int blocks, int block, long[] edges, int count) {
        Arrays.sort(edges, 0, count);
        int kept = spec.merge() ? distinct(edges, count) : count;
        int first = first(spec, blocks, block);
        double[] shares = new double[first(spec, blocks, block + 1) - first];
        int[] sources = new int[kept];
        int[] targets = new int[kept];
        int[] starts = new int[kept + 1];
        int distinct = 0;
        for (int i = 0; i < kept; i++) {
            int target = (int) (edges[i] >>> 32);
            if (distinct == 0 || targets[distinct - 1] != target) {
                starts[distinct] = i;
                targets[distinct++] = target;
            }
            sources[i] = (int) edges[i] - first;
            shares[sources[i]]++;
        }
        starts[distinct] = kept;
        for (int i = 0; i < shares.length; i++) {
            shares[i] = shares[i] == 0 ? 0 : 1 / shares[i];
        }
        double[] ranks = new double[shares.length];
        Arrays.fill(ranks, spec.first());
        return new RankBlock(spec, blocks, block, ranks, shares, Arrays.copyOf(targets, distinct),
                Arrays.copyOf(starts, distinct + 1), sources);
    }

    private static int distinct(long[] edges, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (i == 0 || edges[i] != edges[i - 1]) {
                edges[kept++] = edges[i];
            }
        }
        return kept;
    }

    /** Its ranks, in the order of the vertices. */
    public double[] ranks() {
        return ranks;
    }

    /** The same vertices and edges with other ranks. */
    public RankBlock with(double[] other) {
        return new RankBlock(spec, blocks, block, other, shares, targets, starts, sources);
    }

    /**
     * The message of this round to a block: the sum of the ranks without out-edges; then vertex and what comes to it.
     */
    public byte[] message(int to) {
        int from = place(first(spec, blocks, to));
        int end = place(first(spec, blocks, to + 1));
        ByteBuffer message = ByteBuffer.allocate(Double.BYTES + (end - from) * (Integer.BYTES + Double.BYTES));
        message.putDouble(dangling());
        for (int i = from; i < end; i++) {
            double sum = 0;
            for (int edge = starts[i]; edge < starts[i + 1]; edge++) {
                sum += ranks[sources[edge]] * shares[sources[edge]];
            }
            message.putInt(targets[i]).putDouble(sum);
        }
        return message.array();
    }

    private int place(int target) {
        int place = Arrays.binarySearch(targets, target);
        return place < 0 ? -place - 1 : place;
    }

    private double dangling() {
        Sum sum = new Sum();
        for (int i = 0; i < ranks.length; i++) {
            sum.add(shares[i] == 0 ? ranks[i] : 0);
        }
        return sum.value();
    }

    /** The ranks of a block after a round, from the messages to it. */
    public static final class Gather {
        private final RankSpec spec;
        private final int first;
        private final double[] came;
        private double dangling;

        /** Begins with no message. */
        public Gather(RankSpec spec, int blocks, int block) {
            this.spec = spec;
            first = first(spec, blocks, block);
            came = new double[first(spec, blocks, block + 1) - first];
        }

        /** Adds a message, which is read to its end. */
        public void add(ByteBuffer message) {
            dangling += message.getDouble();
            while (message.hasRemaining()) {
                came[message.getInt() - first] += message.getDouble();
            }
        }

        /** The ranks, once all blocks' messages are in. */
        public double[] ranks() {
            for (int i = 0; i < came.length; i++) {
                came[i] = spec.next(came[i], dangling);
            }
            return came;
        }
    }

    /** All of it but what the definition says, as bytes. */
    public byte[] bytes() {
        int doubles = ranks.length + shares.length;
        int ints = 3 + targets.length + starts.length + sources.length;
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(8L * doubles + 4L * ints));
        bytes.putInt(ranks.length).putInt(targets.length).putInt(sources.length);
        bytes.asDoubleBuffer().put(ranks).put(shares);
        bytes.position(bytes.position() + 8 * doubles);
        bytes.asIntBuffer().put(targets).put(starts).put(sources);
        return bytes.array();
    }

    /** A block from its bytes. */
    public static RankBlock of(RankSpec spec, int blocks, int block, ByteBuffer bytes) {
        double[] ranks = new double[bytes.getInt()];
        double[] shares = new double[ranks.length];
        int[] targets = new int[bytes.getInt()];
        int[] starts = new int[targets.length + 1];
        int[] sources = new int[bytes.getInt()];
        bytes.asDoubleBuffer().get(ranks).get(shares);
        bytes.position(bytes.position() + 8 * (ranks.length + shares.length));
        bytes.asIntBuffer().get(targets).get(starts).get(sources);
        return new RankBlock(spec, blocks, block, ranks, shares, targets, starts, sources);
    }
}
