package io.weft.hadoop;

import io.weft.core.BlockSorter;
import io.weft.core.KeyOrder;
import io.weft.core.RecordBlock;
import java.util.List;

/** Blocks of records on the heap, as many as a budget allows. */
final class HeapMemory implements BlockSorter.Memory<RecordBlock> {
    private final KeyOrder.Scratch scratch = new KeyOrder.Scratch(RecordBlock.ROWS);
    private long left;

    /** @param budget bytes of heap for blocks; there is always one */
    HeapMemory(long budget) {
        long room = budget - KeyOrder.Scratch.bytes(RecordBlock.ROWS);
        left = Math.max(1, room / RecordBlock.bytes(RecordBlock.ROWS));
    }

    @Override
    public RecordBlock take() {
        if (left == 0) {
            return null;
        }
        left--;
        return new RecordBlock(RecordBlock.ROWS, scratch);
    }

    @Override
    public void free(List<RecordBlock> blocks, long written) {
        left += blocks.size();
    }
}
