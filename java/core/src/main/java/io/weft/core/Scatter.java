package io.weft.core;

import java.io.Closeable;
import java.io.IOException;

/** Reads one split and gathers its records by range; gives a range's chunk whenever it is full, and at the end. */
public final class Scatter implements Closeable {
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
    private int flushed;

    /** Opens a split; chunks of all ranges are gathered at once. */
    public Scatter(Store store, Splits.Split split, RangeTable table, int ranges) throws IOException {
        this.table = table;
        int records = Math.max(4, Math.min(LARGEST, CHUNKS / TeraRecord.LENGTH / ranges));
        chunkBytes = records * TeraRecord.LENGTH;
        chunks = new byte[Math.multiplyExact(ranges, chunkBytes)];
        filled = new int[ranges];
        position = split.from();
        end = split.from() + split.bytes();
        in = store.open(split.name());
    }

    /** The next chunk, which is good until the call after it; null at the end. */
    public Chunk next() throws IOException {
        int full = gather();
        if (full < 0) {
            return null;
        }
        chunk.range = full;
        chunk.bytes = chunks;
        chunk.offset = full * chunkBytes;
        chunk.length = filled[full];
        filled[full] = 0;
        return chunk;
    }

    /** Copies records into their chunks until one is full or the split has ended; then what is left. Gives the range, or -1. */
    private int gather() throws IOException {
        while (at < limit || refill()) {
            while (at < limit) {
                int range = table.range(TeraRecord.prefix(batch, at));
                int used = filled[range];
                System.arraycopy(batch, at, chunks, range * chunkBytes + used, TeraRecord.LENGTH);
                at += TeraRecord.LENGTH;
                filled[range] = used + TeraRecord.LENGTH;
                if (used + TeraRecord.LENGTH == chunkBytes) {
                    return range;
                }
            }
        }
        while (flushed < filled.length && filled[flushed] == 0) {
            flushed++;
        }
        return flushed < filled.length ? flushed : -1;
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

    @Override
    public void close() throws IOException {
        in.close();
    }
}
