package io.weft.hadoop;

import io.weft.core.KeyOrder;
import io.weft.core.Merge;
import io.weft.core.RecordBlock;
import io.weft.core.SortedRun;
import io.weft.core.SpillRun;
import io.weft.core.TeraRecord;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
    private final List<SpillRun> spills = new ArrayList<>();
    private final KeyOrder.Scratch scratch = new KeyOrder.Scratch(BLOCK_ROWS);
    private RecordBlock open;

    /** Gives a new file for each run that does not fit into memory. */
    @FunctionalInterface
    interface Space {
        File create() throws IOException;
    }

    private record Spill(File file) implements SpillRun.Place {
        @Override
        public OutputStream write() throws IOException {
            return new FileOutputStream(file);
        }

        @Override
        public InputStream read() throws IOException {
            return new FileInputStream(file);
        }
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
        return spills.stream().mapToLong(SpillRun::length).sum() / TeraRecord.LENGTH;
    }

    private void grow() throws IOException {
        seal();
        if (blocks.size() == mostBlocks) {
            SpillRun run = new SpillRun(new Spill(space.create()));
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
    public void close() {
        spills.forEach(SpillRun::delete);
    }
}
