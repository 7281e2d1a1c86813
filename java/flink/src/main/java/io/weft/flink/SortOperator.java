package io.weft.flink;

import io.weft.core.BlockSorter;
import io.weft.core.Chunk;
import io.weft.core.PartOutput;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.memory.MemoryAllocationException;
import org.apache.flink.runtime.memory.MemoryManager;

/** Sorts the records of one range in this task's managed memory and writes them as one part. */
final class SortOperator extends PartOperator<Chunk> {
    private static final long serialVersionUID = 1L;

    private transient List<MemorySegment> pages;
    private transient BlockSorter<PagedBlock> sorter;

    SortOperator(String output) {
        super(output);
    }

    @Override
    public void open() throws Exception {
        super.open();
        pages = new ArrayList<>();
        Environment environment = getContainingTask().getEnvironment();
        MemoryManager memory = environment.getMemoryManager();
        double share = getOperatorConfig().getManagedMemoryFractionOperatorUseCaseOfSlot(
                ManagedMemoryUseCase.OPERATOR, environment.getJobConfiguration(),
                environment.getTaskManagerInfo().getConfiguration(), getUserCodeClassloader());
        sorter = new BlockSorter<>(
                new PagedMemory(this::pages, memory.computeNumberOfPages(share), memory.getPageSize()), () -> {
                    File file = environment.getIOManager().createChannel().getPathFile();
                    return () -> file;
                });
    }

    private List<MemorySegment> pages(int count) {
        try {
            List<MemorySegment> more = getContainingTask().getEnvironment().getMemoryManager()
                    .allocatePages(getContainingTask(), count);
            pages.addAll(more);
            return more;
        } catch (MemoryAllocationException error) {
            throw new IllegalStateException("The task's share of managed memory is not to be had.", error);
        }
    }

    @Override
    void take(Chunk chunk) throws IOException {
        sorter.add(chunk.bytes, chunk.offset, chunk.length);
    }

    @Override
    void write(PartOutput out) throws IOException {
        out.add(sorter.sorted());
        count("spilled", sorter.spilled());
    }

    @Override
    public void close() throws Exception {
        if (sorter != null) {
            sorter.close();
        }
        if (pages != null) {
            getContainingTask().getEnvironment().getMemoryManager().release(pages);
        }
        super.close();
    }
}
