package io.weft.core;

import java.io.IOException;
import java.util.Arrays;

/** Edges as they are read: gathered by the block of their source, a chunk given away whenever it is full. */
public final class EdgeLines {
    private static final int CHUNK = 1 << 14;

    private final RankSpec spec;
    private final long[][] chunks;
    private final int[] filled;
    private final Sink sink;

    /** Takes the edges of a block: target in the upper and source in the lower half of each number. */
    @FunctionalInterface
    public interface Sink {
        /** The array is the receiver's own. */
        void take(int block, long[] edges) throws IOException, InterruptedException;
    }

    /** Gathers into a number of blocks. */
    public EdgeLines(RankSpec spec, int blocks, Sink sink) {
        this.spec = spec;
        this.sink = sink;
        chunks = new long[blocks][0];
        filled = new int[blocks];
    }

    /** Reads all lines of a split, and gives away what is left in the chunks. */
    public void read(TextSplit split) throws IOException, InterruptedException {
        try (Lines lines = split.lines()) {
            while (lines.next()) {
                add(lines.bytes, lines.offset, lines.length);
            }
        }
        flush();
    }

    /**
     * Adds the edge of a line, given without its end.
     *
     * @throws WrongInput when it is no source, tab and target, both below the number of vertices
     */
    public void add(byte[] line, int offset, int length) throws IOException, InterruptedException {
        int tab = offset;
        while (tab < offset + length && line[tab] != '\t') {
            tab++;
        }
        int source = number(line, offset, tab);
        int target = number(line, tab + 1, offset + length);
        if (source < 0 || target < 0) {
            throw new WrongInput("A line is no edge between two of " + spec.vertices() + " vertices: "
                    + new String(line, offset, length, java.nio.charset.StandardCharsets.ISO_8859_1));
        }
        int block = RankBlock.of(source, spec.vertices(), chunks.length);
        if (filled[block] == chunks[block].length) {
            room(block);
        }
        chunks[block][filled[block]++] = (long) target << 32 | source;
    }

    private void room(int block) throws IOException, InterruptedException {
        if (filled[block] == CHUNK) {
            sink.take(block, chunks[block]);
            chunks[block] = new long[CHUNK];
            filled[block] = 0;
        } else {
            chunks[block] = Arrays.copyOf(chunks[block], Math.max(64, 2 * filled[block]));
        }
    }

    /** Gives away all chunks that hold something. */
    public void flush() throws IOException, InterruptedException {
        for (int block = 0; block < chunks.length; block++) {
            if (filled[block] > 0) {
                sink.take(block, Arrays.copyOf(chunks[block], filled[block]));
                filled[block] = 0;
            }
        }
    }

    /** The number of a vertex, or -1 where there is none. */
    private int number(byte[] line, int from, int end) {
        long number = end > from && end - from <= 10 ? 0 : -1;
        for (int at = from; at < end && number >= 0; at++) {
            number = line[at] >= '0' && line[at] <= '9' ? number * 10 + line[at] - '0' : -1;
        }
        return number < spec.vertices() ? (int) number : -1;
    }
}
