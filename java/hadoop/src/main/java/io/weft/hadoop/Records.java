package io.weft.hadoop;

import io.weft.core.TeraRecord;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;

/** Some whole records in an array, in the shuffle a length and then the bytes. Reused: copy out before the next one. */
public final class Records implements Writable {
    /** Most records that cross the shuffle as one value. */
    static final int MOST = 320;

    byte[] bytes = new byte[0];
    int offset;
    int length;

    @Override
    public void write(DataOutput out) throws IOException {
        out.writeInt(length);
        out.write(bytes, offset, length);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
        length = in.readInt();
        if (length % TeraRecord.LENGTH != 0) {
            throw new IOException("A shuffle block ends within a record.");
        }
        if (bytes.length < length) {
            bytes = new byte[Math.max(length, MOST * TeraRecord.LENGTH)];
        }
        offset = 0;
        in.readFully(bytes, 0, length);
    }
}
