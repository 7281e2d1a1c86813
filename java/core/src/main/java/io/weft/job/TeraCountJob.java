package io.weft.job;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import io.weft.core.Splits;
import io.weft.core.TeraTally;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * TeraSort's shuffle without its sort and without output: every record is counted where it arrives. The answer has, for each
 * partition, the number of its records, the sum of their hashes, and its lowest and highest key.
 */
public abstract class TeraCountJob<S extends EngineSession> extends InputJob<S> {
    @Option(names = "--answer", required = true)
    private Path file;
    private Splits splits;

    /** The input. */
    protected final Splits splits() {
        return splits;
    }

    /** The engine's work, measured; gives what was counted in each partition. */
    protected abstract List<TeraTally> tally(S session) throws Exception;

    @Override
    protected void prepare() throws Exception {
        splits = new Splits(input(), splitBytes());
    }

    @Override
    protected void work(S session, Outcome outcome) throws Exception {
        Answer answer = new Answer();
        tally(session).forEach(tally -> tally.put(answer));
        answer.write(file);
        outcome.put("partitions", partitions()).put("bytes_in", splits.bytes());
    }
}
