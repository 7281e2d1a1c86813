package io.weft.spark;

import io.weft.core.BlockSorter;
import io.weft.core.Chunk;
import io.weft.core.KeyOrder;
import io.weft.core.Merge;
import io.weft.core.RecordBlock;
import java.io.IOException;
import java.util.List;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Sorts any number of records in blocks that Spark's task memory manager grants. When it grants no more, the blocks
 * are merged into a run in the spill space. Used by the thread of one task only.
 */
final class SpillingSorter extends MemoryConsumer implements BlockSorter.Memory<RecordBlock>, AutoCloseable {
    static final long BLOCK = RecordBlock.bytes(RecordBlock.ROWS);
    static final long SCRATCH = KeyOrder.Scratch.bytes(RecordBlock.ROWS);

    private final SpillSpace space;
    private final BlockSorter<RecordBlock> sorter;
    private KeyOrder.Scratch scratch;
    private boolean merging;

    SpillingSorter(TaskMemoryManager memory, SpillSpace space) {
        super(memory, MemoryMode.ON_HEAP);
        this.space = space;
        sorter = new BlockSorter<>(this, space::create);
    }

    /** Takes over records. */
    void add(Chunk chunk) throws IOException {
        sorter.add(chunk.bytes, chunk.offset, chunk.length);
    }

    /** All records in order; nothing can be added any more. */
    Merge sorted() throws IOException {
        merging = true;
        return sorter.sorted();
    }

    /** Another consumer of this task needs memory; while merging, all of it is in use. */
    @Override
    public long spill(long wanted, MemoryConsumer trigger) throws IOException {
        if (trigger == this || merging) {
            return 0;
        }
        long before = getUsed();
        sorter.spill();
        return before - getUsed();
    }

    @Override
    public RecordBlock take() throws IOException {
        if (scratch == null && granted(SCRATCH)) {
            scratch = new KeyOrder.Scratch(RecordBlock.ROWS);
        }
        if (scratch != null && granted(BLOCK)) {
            return new RecordBlock(RecordBlock.ROWS, scratch);
        }
        if (getUsed() < BLOCK) {
            throw new IOException("The task's share of execution memory is below " + (SCRATCH + BLOCK)
                    + " bytes, which one block of records needs; give the executor more memory or fewer cores.");
        }
        return null;
    }

    @Override
    public void free(List<RecordBlock> blocks, long written) {
        long freed = BLOCK * blocks.size();
        freeMemory(freed);
        space.spilled(freed, written);
    }

    private boolean granted(long wanted) {
        long got = acquireMemory(wanted);
        if (got < wanted) {
            freeMemory(got);
        }
        return got == wanted;
    }

    /** Gives back all memory and deletes all runs. */
    @Override
    public void close() {
        sorter.close();
        scratch = null;
        freeMemory(getUsed());
    }
}
