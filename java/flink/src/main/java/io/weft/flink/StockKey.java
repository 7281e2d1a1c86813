package io.weft.flink;

import io.weft.core.TeraRecord;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.types.CopyableValue;
import org.apache.flink.types.NormalizableKey;

/** The 10 bytes of a key in a form that Flink's sorter compares as they are; public, as Flink's serializers want it. */
public final class StockKey implements NormalizableKey<StockKey>, CopyableValue<StockKey> {
    private static final long serialVersionUID = 1L;
    private long prefix;
    private int suffix;

    /** For Flink. */
    public StockKey() {
    }

    StockKey(byte[] record) {
        prefix = TeraRecord.prefix(record, 0);
        suffix = TeraRecord.suffix(record, 0);
    }

    @Override
    public int compareTo(StockKey other) {
        return TeraRecord.compare(prefix, suffix, other.prefix, other.suffix);
    }

    @Override
    public int getMaxNormalizedKeyLen() {
        return TeraRecord.KEY;
    }

    @Override
    public void copyNormalizedKey(MemorySegment target, int offset, int length) {
        for (int i = 0; i < length; i++) {
            long value = i < Long.BYTES ? prefix >>> 56 - 8 * i : i < TeraRecord.KEY ? suffix >>> 72 - 8 * i : 0;
            target.put(offset + i, (byte) value);
        }
    }

    @Override
    public int getBinaryLength() {
        return TeraRecord.KEY;
    }

    @Override
    public void copyTo(StockKey target) {
        target.prefix = prefix;
        target.suffix = suffix;
    }

    @Override
    public StockKey copy() {
        StockKey copy = new StockKey();
        copyTo(copy);
        return copy;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        target.write(source, TeraRecord.KEY);
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeLong(prefix);
        out.writeShort(suffix);
    }

    @Override
    public void read(DataInputView in) throws IOException {
        prefix = in.readLong();
        suffix = in.readUnsignedShort();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StockKey key && compareTo(key) == 0;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(prefix) + suffix;
    }
}
