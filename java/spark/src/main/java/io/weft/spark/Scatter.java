package io.weft.spark;

import io.weft.core.RangeTable;
import io.weft.core.TeraRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import scala.Tuple2;
import scala.collection.AbstractIterator;

/** Reads one split and gathers its records by range; gives a range's chunk whenever it is full, and at the end. */
final class Scatter extends AbstractIterator<Tuple2<Integer, Chunk>> {
    private static final int READ = 2_560 * TeraRecord.LENGTH;
    /** Chunks of all ranges together stay within this many bytes, as long as each can hold 4 records. */
    private static final int CHUNKS = 16 << 20;
    private static final int LARGEST = 320;

    private final Store.Reader in;
    private final RangeTable table;
    private final byte[] batch = new byte[READ];
    private final byte[] chunks;
    private final int[] filled;
    private final int chunkBytes;
    private final Chunk chunk = new Chunk();
    private long position;
    private final long end;
    private int at;
    private int limit;
    /** The range whose chunk is given next, or -1. */
    private int full = -1;
    private int flushed;

    Scatter(Store store, Splits.Split split, RangeTable table, int ranges) {
        this.table = table;
        int records = Math.max(4, Math.min(LARGEST, CHUNKS / TeraRecord.LENGTH / ranges));
        chunkBytes = records * TeraRecord.LENGTH;
        chunks = new byte[Math.multiplyExact(ranges, chunkBytes)];
        filled = new int[ranges];
        position = split.from();
        end = split.from() + split.bytes();
        try {
            in = store.open(split.name());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public boolean hasNext() {
        if (full < 0) {
            try {
                gather();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
        return full >= 0;
    }

    @Override
    public Tuple2<Integer, Chunk> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        chunk.bytes = chunks;
        chunk.offset = full * chunkBytes;
        chunk.length = filled[full];
        filled[full] = 0;
        Tuple2<Integer, Chunk> pair = new Tuple2<>(full, chunk);
        full = -1;
        return pair;
    }

    /** Copies records into their chunks until one is full or the split has ended; then empties what is left. */
    private void gather() throws IOException {
        while (at < limit || refill()) {
            while (at < limit) {
                int range = table.range(TeraRecord.prefix(batch, at));
                int used = filled[range];
                System.arraycopy(batch, at, chunks, range * chunkBytes + used, TeraRecord.LENGTH);
                at += TeraRecord.LENGTH;
                filled[range] = used + TeraRecord.LENGTH;
                if (used + TeraRecord.LENGTH == chunkBytes) {
                    full = range;
                    return;
                }
            }
        }
        while (flushed < filled.length && filled[flushed] == 0) {
            flushed++;
        }
        full = flushed < filled.length ? flushed : -1;
    }

    private boolean refill() throws IOException {
        limit = (int) Math.min(READ, end - position);
        if (limit <= 0) {
            return false;
        }
        in.read(position, batch, limit);
        position += limit;
        at = 0;
        return true;
    }

    void close() {
        try {
            in.close();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
