package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Sorts any number of records in blocks; when there is no further block to be had, all go to one sorted run on disk. Used
 * by one thread.
 */
public final class BlockSorter<B extends BlockSorter.Block> implements AutoCloseable {
    private final Memory<B> memory;
    private final Disk disk;
    private final List<B> blocks = new ArrayList<>();
    private final List<SpillRun> spills = new ArrayList<>();
    private B open;

    /** Some records in memory: filled, sorted, then read once. */
    public interface Block extends SortedRun {
        /** Copies in as many whole records as fit and gives the number of bytes taken. */
        int add(byte[] bytes, int offset, int length);

        /** Puts the records in order; then {@link #advance} gives the first. */
        void sort();
    }

    /** Where blocks come from. */
    public interface Memory<B extends Block> {
        /** An empty block, or null while none is left; there is one when all have been given back. */
        B take() throws IOException;

        /** Takes back blocks whose records are on disk now, in a number of bytes. */
        void free(List<B> blocks, long written);
    }

    /** Where runs go that memory does not hold. */
    @FunctionalInterface
    public interface Disk {
        /** A new place for one run. */
        SpillRun.Place create() throws IOException;
    }

    /** A sorter without records, which holds no memory yet. */
    public BlockSorter(Memory<B> memory, Disk disk) {
        this.memory = memory;
        this.disk = disk;
    }

    /** Takes over whole records. */
    public void add(byte[] bytes, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int taken = open == null ? 0 : open.add(bytes, offset + done, length - done);
            done += taken;
            if (taken == 0) {
                grow();
            }
        }
    }

    /** All records in order; nothing can be added any more. */
    public Merge sorted() throws IOException {
        seal();
        List<SortedRun> runs = new ArrayList<>(spills);
        runs.addAll(blocks);
        return new Merge(runs);
    }

    /** Writes all blocks as one sorted run and gives them back. */
    public void spill() throws IOException {
        seal();
        if (blocks.isEmpty()) {
            return;
        }
        SpillRun run = new SpillRun(disk.create());
        spills.add(run);
        run.write(new Merge(blocks));
        memory.free(blocks, run.length());
        blocks.clear();
    }

    /** Bytes written to disk. */
    public long spilled() {
        return spills.stream().mapToLong(SpillRun::length).sum();
    }

    private void grow() throws IOException {
        seal();
        open = memory.take();
        if (open == null) {
            spill();
            open = Objects.requireNonNull(memory.take());
        }
    }

    private void seal() {
        if (open != null) {
            open.sort();
            blocks.add(open);
            open = null;
        }
    }

    /** Forgets all records and deletes all runs; what memory there was is its giver's again. */
    @Override
    public void close() {
        open = null;
        blocks.clear();
        spills.forEach(SpillRun::delete);
    }
}
