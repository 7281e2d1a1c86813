package io.weft.job;

import io.weft.core.Outcome;
import io.weft.core.Splits;
import io.weft.core.TeraRecord;
import io.weft.core.UsageError;
import java.util.Locale;
import picocli.CommandLine.Option;

/**
 * Sorts TeraGen's records into a total order over numbered parts. The measured seconds hold sampling and sorting; that
 * the right records are in the right order is {@code TeraValidate}'s to say.
 */
public abstract class TeraSortJob<S extends EngineSession> extends OutputJob<S> {
    @Option(names = "--method")
    private Method method = Method.STOCK;
    @Option(names = "--sort", arity = "1")
    private boolean sort = true;
    private Splits splits;

    /** Whose sort it is. */
    protected enum Method {
        /** The engine's: its public operators, as its users call them. */
        STOCK,
        /** weft's: chunks of bytes through the engine's shuffle, and a sort of its own; the limit of its data path. */
        RAW,
        /** Spark's older one: {@code sortByKey} of an RDD, with Kryo. */
        KRYO;

        /** As it is written in options and outcomes. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whose sort it is. */
    protected final Method method() {
        return method;
    }

    /** Whether the records of a part must be in order; otherwise only in the part of their range. */
    protected final boolean sort() {
        return sort;
    }

    /** Whether this engine's program can leave out the sort. */
    protected boolean sortIsOptional() {
        return false;
    }

    /** The input. */
    protected final Splits splits() {
        return splits;
    }

    /** The engine's work, measured; gives the number of rows written. */
    protected abstract long sort(S session, Outcome outcome) throws Exception;

    @Override
    protected void prepare() throws Exception {
        if (!sort && !sortIsOptional()) {
            throw new UsageError("Option --sort=false is not supported by this engine and method.");
        }
        splits = new Splits(input(), splitBytes());
        super.prepare();
    }

    @Override
    protected void work(S session, Outcome outcome) throws Exception {
        long rows = sort(session, outcome);
        outcome.same("rows written", rows, splits.rows());
        outcome.put("method", method.word()).put("sort", sort).put("partitions", partitions()).put("rows_in", splits.rows())
                .put("rows_out", rows).put("bytes_in", splits.bytes()).put("bytes_out", rows * TeraRecord.LENGTH);
    }
}
