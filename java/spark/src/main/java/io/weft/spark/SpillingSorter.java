package io.weft.spark;

import io.weft.core.Chunk;
import io.weft.core.KeyOrder;
import io.weft.core.Merge;
import io.weft.core.RecordBlock;
import io.weft.core.SortedRun;
import io.weft.core.SpillRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Sorts any number of records in blocks that Spark's task memory manager grants. When it grants no more, the blocks
 * are merged into a run in the spill space. Used by the thread of one task only.
 */
final class SpillingSorter extends MemoryConsumer implements AutoCloseable {
    /** 8 MB of records: many blocks fit a small executor, and a block's keys stay in the second-level cache. */
    static final int BLOCK_ROWS = 80_000;

    private final SpillSpace space;
    private final List<RecordBlock> blocks = new ArrayList<>();
    private final List<SpillRun> spills = new ArrayList<>();
    private KeyOrder.Scratch scratch;
    private RecordBlock open;
    private boolean merging;

    SpillingSorter(TaskMemoryManager memory, SpillSpace space) {
        super(memory, MemoryMode.ON_HEAP);
        this.space = space;
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
        merging = true;
        List<SortedRun> runs = new ArrayList<>(spills);
        runs.addAll(blocks);
        return new Merge(runs);
    }

    /** Another consumer of this task needs memory; while merging, all of it is in use. */
    @Override
    public long spill(long wanted, MemoryConsumer trigger) throws IOException {
        return trigger == this || merging ? 0 : spillAll();
    }

    private void grow() throws IOException {
        seal();
        long wanted = RecordBlock.bytes(BLOCK_ROWS);
        if (scratch == null) {
            claim(KeyOrder.Scratch.bytes(BLOCK_ROWS));
            scratch = new KeyOrder.Scratch(BLOCK_ROWS);
        }
        claim(wanted);
        open = new RecordBlock(BLOCK_ROWS);
    }

    private void claim(long wanted) throws IOException {
        if (!granted(wanted)) {
            spillAll();
            if (!granted(wanted)) {
                throw new IOException("The task's share of execution memory is below " + wanted
                        + " bytes, which one block of records needs; give the executor more memory or fewer cores.");
            }
        }
    }

    private boolean granted(long wanted) {
        long got = acquireMemory(wanted);
        if (got < wanted) {
            freeMemory(got);
        }
        return got == wanted;
    }

    private void seal() {
        if (open != null) {
            open.sort(scratch);
            blocks.add(open);
            open = null;
        }
    }

    /** Writes all blocks as one sorted run and gives the number of bytes this frees. */
    private long spillAll() throws IOException {
        seal();
        if (blocks.isEmpty()) {
            return 0;
        }
        SpillRun run = new SpillRun(space.create());
        spills.add(run);
        run.write(new Merge(blocks));
        long freed = RecordBlock.bytes(BLOCK_ROWS) * blocks.size();
        blocks.clear();
        freeMemory(freed);
        space.spilled(freed, run.length());
        return freed;
    }

    /** Gives back all memory and deletes all runs. */
    @Override
    public void close() {
        blocks.clear();
        open = null;
        scratch = null;
        spills.forEach(SpillRun::delete);
        freeMemory(getUsed());
    }
}
