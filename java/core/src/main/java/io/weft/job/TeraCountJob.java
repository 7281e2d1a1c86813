package io.weft.job;

import io.weft.core.Outcome;
import io.weft.core.Splits;
import io.weft.core.TeraTally;
import picocli.CommandLine.Option;

/**
 * TeraSort's shuffle without its sort and without output: every record is counted where it arrives, and its key is
 * compared with the range of that partition. With {@code --checksum} the sum of the CRC32 is compared too.
 */
public abstract class TeraCountJob<S extends EngineSession> extends InputJob<S> {
    @Option(names = "--checksum")
    private String checksum = "";
    private Splits splits;

    /** The input. */
    protected final Splits splits() {
        return splits;
    }

    /** Whether the sum of the records' CRC32 is asked for. */
    protected final boolean summed() {
        return !checksum.isEmpty();
    }

    /** The engine's work, measured; gives what was counted in all partitions. */
    protected abstract TeraTally tally(S session) throws Exception;

    @Override
    protected void prepare() throws Exception {
        splits = new Splits(input(), splitBytes());
    }

    @Override
    protected void work(S session, Outcome outcome) throws Exception {
        tally(session).check(splits.rows(), checksum, outcome);
        outcome.put("partitions", partitions()).put("bytes_in", splits.bytes());
    }
}
