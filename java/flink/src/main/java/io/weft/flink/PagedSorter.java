package io.weft.flink;

import io.weft.core.Chunk;
import io.weft.core.KeyOrder;
import io.weft.core.Merge;
import io.weft.core.SortedRun;
import io.weft.core.SpillRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.flink.core.memory.MemorySegment;

/** Sorts any number of records in a number of pages; when all are full, they go to one sorted run on disk. */
final class PagedSorter implements AutoCloseable {
    /** 8 MiB of records: the keys of a block stay in the second-level cache while they are sorted. */
    private static final int BLOCK_BYTES = 8 << 20;

    private final IntFunction<List<MemorySegment>> memory;
    private final int blockPages;
    private int left;
    private final Supplier<SpillRun.Place> disk;
    private final List<PagedBlock> empty = new ArrayList<>();
    private final List<PagedBlock> full = new ArrayList<>();
    private final List<SpillRun> spills = new ArrayList<>();
    private final KeyOrder.Scratch scratch;
    private PagedBlock open;
    private long spilled;

    /**
     * A sorter that takes no more memory than it has records for.
     *
     * @param memory gives a number of pages
     * @param pages how many it may ask for in all, at least one
     * @param size bytes of a page
     */
    PagedSorter(IntFunction<List<MemorySegment>> memory, int pages, int size, Supplier<SpillRun.Place> disk) {
        this.memory = memory;
        this.disk = disk;
        blockPages = Math.max(1, Math.min(BLOCK_BYTES / size, pages / 2));
        left = pages / blockPages;
        scratch = new KeyOrder.Scratch(blockPages * PagedBlock.perPage(size));
    }

    /** Takes over records. */
    void add(Chunk chunk) throws IOException {
        int done = 0;
        while (done < chunk.length) {
            int taken = open == null ? 0 : open.add(chunk.bytes, chunk.offset + done, chunk.length - done);
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
        runs.addAll(full);
        return new Merge(runs);
    }

    /** Bytes written to disk. */
    long spilled() {
        return spilled;
    }

    private void grow() throws IOException {
        seal();
        if (empty.isEmpty() && left == 0) {
            spill();
        }
        if (empty.isEmpty()) {
            left--;
            open = new PagedBlock(memory.apply(blockPages));
        } else {
            open = empty.remove(empty.size() - 1);
        }
    }

    private void seal() {
        if (open != null) {
            open.sort(scratch);
            full.add(open);
            open = null;
        }
    }

    private void spill() throws IOException {
        SpillRun run = new SpillRun(disk.get());
        spills.add(run);
        run.write(new Merge(full));
        spilled += run.length();
        full.forEach(PagedBlock::clear);
        empty.addAll(full);
        full.clear();
    }

    /** Deletes all runs; the pages go back to whoever gave them. */
    @Override
    public void close() {
        spills.forEach(SpillRun::delete);
    }
}
