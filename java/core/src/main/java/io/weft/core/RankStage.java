package io.weft.core;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One block in one round, for engines that carry everything from round to round: it takes edges, or its block and the
 * messages to it, in any order, and gives the block with its next ranks. What is carried is bytes, the first of which
 * says what it is.
 */
public final class RankStage {
    private static final byte EDGES = 0;
    private static final byte MESSAGE = 1;
    private static final byte BLOCK = 2;

    private final RankSpec spec;
    private final int blocks;
    private final int block;
    private final RankBlock.Gather gather;
    private final List<long[]> edges = new ArrayList<>();
    private RankBlock before;

    /** Takes things for a block of the graph. */
    public RankStage(RankSpec spec, int blocks, int block) {
        this.spec = spec;
        this.blocks = blocks;
        this.block = block;
        gather = new RankBlock.Gather(spec, blocks, block);
    }

    /** Edges of a block, which may be none. */
    public static byte[] edges(long[] edges) {
        ByteBuffer bytes = ByteBuffer.allocate(1 + edges.length * Long.BYTES).put(EDGES);
        bytes.asLongBuffer().put(edges);
        return bytes.array();
    }

    /** The message of a block to another. */
    public static byte[] message(RankBlock from, int to) {
        return tagged(MESSAGE, from.message(to));
    }

    /** A block itself. */
    public static byte[] block(RankBlock block) {
        return tagged(BLOCK, block.bytes());
    }

    private static byte[] tagged(byte tag, byte[] bytes) {
        return ByteBuffer.allocate(1 + bytes.length).put(tag).put(bytes).array();
    }

    /** Takes one thing of the above; the bytes may be changed afterwards. */
    public void take(byte[] bytes, int length) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
        switch (buffer.get()) {
            case EDGES -> {
                LongBuffer longs = buffer.asLongBuffer();
                long[] chunk = new long[longs.remaining()];
                longs.get(chunk);
                edges.add(chunk);
            }
            case MESSAGE -> gather.add(buffer);
            default -> before = RankBlock.of(spec, blocks, block, buffer);
        }
    }

    /** The block that was taken, as it was. */
    public RankBlock carried() {
        return before;
    }

    /** The block after this round, or before the first one where edges were taken. */
    public RankBlock block() {
        if (before != null) {
            return before.with(gather.ranks());
        }
        long[] all = new long[edges.stream().mapToInt(chunk -> chunk.length).reduce(0, Math::addExact)];
        int count = 0;
        for (long[] chunk : edges) {
            System.arraycopy(chunk, 0, all, count, chunk.length);
            count += chunk.length;
        }
        return RankBlock.build(spec, blocks, block, all, count);
    }
}
