package io.weft.flink;

import io.weft.core.BlockSorter;
import io.weft.core.KeyOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.flink.core.memory.MemorySegment;

/** Blocks of records in a number of pages, which are asked for when they are needed and used again once written. */
final class PagedMemory implements BlockSorter.Memory<PagedBlock> {
    /** 8 MiB of records: the keys of a block stay in the second-level cache while they are sorted. */
    private static final int BLOCK_BYTES = 8 << 20;

    private final IntFunction<List<MemorySegment>> pages;
    private final int blockPages;
    private int left;
    private final List<PagedBlock> empty = new ArrayList<>();
    private final KeyOrder.Scratch scratch;

    /**
     * Takes no more memory than there are records for.
     *
     * @param pages gives a number of pages
     * @param most how many it may ask for in all, at least one
     * @param size bytes of a page
     */
    PagedMemory(IntFunction<List<MemorySegment>> pages, int most, int size) {
        this.pages = pages;
        blockPages = Math.max(1, Math.min(BLOCK_BYTES / size, most / 2));
        left = most / blockPages;
        scratch = new KeyOrder.Scratch(blockPages * PagedBlock.perPage(size));
    }

    @Override
    public PagedBlock take() {
        if (!empty.isEmpty()) {
            return empty.remove(empty.size() - 1);
        }
        if (left == 0) {
            return null;
        }
        left--;
        return new PagedBlock(pages.apply(blockPages), scratch);
    }

    @Override
    public void free(List<PagedBlock> blocks, long written) {
        blocks.forEach(PagedBlock::clear);
        empty.addAll(blocks);
    }
}
