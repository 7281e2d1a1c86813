package io.weft.flink;

import io.weft.core.PartOutput;
import java.io.IOException;

/** Writes records that come in order as one part. */
final class WriteOperator extends PartOperator<byte[]> {
    private static final long serialVersionUID = 1L;

    private transient PartOutput part;

    WriteOperator(String output) {
        super(output);
    }

    @Override
    PartOutput part() throws IOException {
        if (part == null) {
            part = super.part();
        }
        return part;
    }

    @Override
    void take(byte[] record) throws IOException {
        part().add(record, 0);
    }

    @Override
    void write(PartOutput out) {
        // every record was written as it came
    }

    @Override
    public void close() throws Exception {
        if (part != null) {
            part.close();
        }
        super.close();
    }
}
