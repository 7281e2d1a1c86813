package io.weft.flink;

import io.weft.core.BlockSorter;
import io.weft.core.KeyOrder;
import io.weft.core.TeraRecord;
import java.util.List;
import org.apache.flink.core.memory.MemorySegment;

/** A block of records in pages of managed memory: filled, sorted, read once, and then filled again. */
final class PagedBlock implements BlockSorter.Block {
    private final MemorySegment[] pages;
    private final int perPage;
    private final int capacity;
    private final KeyOrder keys;
    private final KeyOrder.Scratch scratch;
    private int at = -1;

    PagedBlock(List<MemorySegment> pages, KeyOrder.Scratch scratch) {
        this.scratch = scratch;
        this.pages = pages.toArray(MemorySegment[]::new);
        perPage = perPage(this.pages[0].size());
        capacity = perPage * this.pages.length;
        keys = new KeyOrder(capacity);
    }

    /** Records in a page of a number of bytes. */
    static int perPage(int bytes) {
        return bytes / TeraRecord.LENGTH;
    }

    @Override
    public int add(byte[] bytes, int offset, int length) {
        int first = keys.rows();
        int count = Math.min(length / TeraRecord.LENGTH, capacity - first);
        for (int done = 0; done < count;) {
            int slot = (first + done) % perPage;
            int run = Math.min(count - done, perPage - slot);
            pages[(first + done) / perPage].put(slot * TeraRecord.LENGTH, bytes,
                    offset + done * TeraRecord.LENGTH, run * TeraRecord.LENGTH);
            done += run;
        }
        for (int i = 0; i < count; i++) {
            keys.add(TeraRecord.prefix(bytes, offset + i * TeraRecord.LENGTH));
        }
        return count * TeraRecord.LENGTH;
    }

    @Override
    public void sort() {
        keys.sort(scratch, record -> page(record).getLongBigEndian(offset(record)), this::suffixOf);
        at = -1;
    }

    /** Forgets all records. */
    void clear() {
        keys.clear();
    }

    private MemorySegment page(int record) {
        return pages[record / perPage];
    }

    private int offset(int record) {
        return record % perPage * TeraRecord.LENGTH;
    }

    private int suffixOf(int record) {
        return page(record).getShortBigEndian(offset(record) + Long.BYTES) & 0xffff;
    }

    @Override
    public boolean advance() {
        return ++at < keys.rows();
    }

    @Override
    public long prefix() {
        return keys.prefix(at);
    }

    @Override
    public int suffix() {
        return suffixOf(keys.record(at));
    }

    @Override
    public int place() {
        return keys.record(at);
    }

    @Override
    public boolean stays() {
        return true;
    }

    @Override
    public void copy(int record, byte[] to, int at) {
        page(record).get(offset(record), to, at, TeraRecord.LENGTH);
    }
}
