package io.weft.hadoop;

import io.weft.core.KeyOrder;
import io.weft.core.Merge;
import io.weft.core.RecordBlock;
import io.weft.core.SortedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Sorts any number of records in blocks, as many as a budget allows; then they are merged into a run on disk. Used by
 * one thread.
 */
final class BlockSorter implements AutoCloseable {
    /** 8 MB of records: many blocks fit a small heap, and a block's keys stay in the second-level cache. */
    static final int BLOCK_ROWS = 80_000;

    private final int mostBlocks;
    private final Space space;
    private final List<RecordBlock> blocks = new ArrayList<>();
    private final List<SpilledRun> spills = new ArrayList<>();
    private final KeyOrder.Scratch scratch = new KeyOrder.Scratch(BLOCK_ROWS);
    private RecordBlock open;

    /** Gives a new file for each run that does not fit into memory. */
    @FunctionalInterface
    interface Space {
        Path create() throws IOException;
    }

    /** @param budget bytes of heap for blocks; at least one block is always held */
    BlockSorter(long budget, Space space) {
        long room = (budget - KeyOrder.Scratch.bytes(BLOCK_ROWS)) / RecordBlock.bytes(BLOCK_ROWS);
        mostBlocks = (int) Math.max(1, Math.min(room, 1 << 20));
        this.space = space;
    }

    /** Takes over records. */
    void add(Records records) throws IOException {
        int done = 0;
        while (done < records.length) {
            int taken = open == null ? 0 : open.add(records.bytes, records.offset + done, records.length - done);
            done += taken;
            if (taken == 0) {
                grow();
            }
        }
    }

    /** All records in order; nothing can be added any more. */
    Merge sorted() throws IOException {
        seal();
        List<SortedRun> runs = new ArrayList<>(spills);
        runs.addAll(blocks);
        return new Merge(runs);
    }

    /** Records that went to disk. */
    long spilled() {
        return spills.stream().mapToLong(SpilledRun::rows).sum();
    }

    private void grow() throws IOException {
        seal();
        if (blocks.size() == mostBlocks) {
            SpilledRun run = new SpilledRun(space.create());
            spills.add(run);
            run.write(new Merge(blocks));
            blocks.clear();
        }
        open = new RecordBlock(BLOCK_ROWS);
    }

    private void seal() {
        if (open != null) {
            open.sort(scratch);
            blocks.add(open);
            open = null;
        }
    }

    /** Deletes all runs. */
    @Override
    public void close() throws IOException {
        for (SpilledRun run : spills) {
            run.delete();
        }
    }
}
