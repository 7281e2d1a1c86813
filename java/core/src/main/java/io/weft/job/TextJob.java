package io.weft.job;

import io.weft.core.Outcome;
import io.weft.core.TextSplit;
import java.util.List;

/** A job that reads text and writes lines. */
public abstract class TextJob<S extends EngineSession> extends OutputJob<S> {
    private List<TextSplit> splits;
    private long bytesIn;

    /** The splits of the input, one task's each. */
    protected final List<TextSplit> splits() {
        return splits;
    }

    /** The engine's work, measured; gives the bytes of the output. */
    protected abstract long write(S session) throws Exception;

    /** Checks what is known of the output without reading it, and puts facts of the workload. */
    protected void judge(long in, long out, Outcome outcome) {
    }

    @Override
    protected void prepare() throws Exception {
        splits = TextSplit.of(input(), splitBytes());
        bytesIn = TextSplit.bytes(input());
        super.prepare();
    }

    @Override
    protected void work(S session, Outcome outcome) throws Exception {
        long written = write(session);
        judge(bytesIn, written, outcome);
        outcome.put("partitions", partitions()).put("bytes_in", bytesIn).put("bytes_out", written);
    }
}
