package io.weft.job;

import io.weft.core.Answer;
import io.weft.core.Bounds;
import io.weft.core.DfsioFile;
import io.weft.core.DfsioRates;
import io.weft.core.DfsioTiming;
import io.weft.core.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/**
 * TestDFSIO: each task does the same operation on its share of the files, one after another, and reports the time of
 * each. The measured seconds are those of the whole job; the files' own times give the rates. A job that only reads has no
 * seed, and with it no other way to the content.
 */
public abstract class DfsioJob<S extends EngineSession> extends EngineJob<S> {
    @Option(names = "--directory", required = true)
    private String directory;

    @Option(names = "--operation")
    private DfsioFile.Operation operation = DfsioFile.Operation.WRITE;

    @Option(names = "--files")
    @Bounds(min = 1, max = 1_000_000)
    private int files = 1;

    @Option(names = "--tasks")
    @Bounds(min = 1, max = 1_000_000)
    private int tasks = 1_000_000;

    @Option(names = "--bytes")
    @Bounds(min = 0, max = 1L << 50)
    private long bytes = 1 << 20;

    @Option(names = "--buffer")
    @Bounds(min = Long.BYTES, max = 1 << 30)
    private int buffer = DfsioFile.BUFFER;

    @Option(names = "--seed")
    @Bounds(min = DfsioFile.UNKNOWN, max = 1 << 30)
    private long seed = DfsioFile.UNKNOWN;

    @Option(names = "--answer", required = true)
    private Path answer;

    /** What each task has to know. */
    protected record Files(String directory, DfsioFile.Operation operation, int count, int tasks, long bytes, int buffer,
            long seed) {
    }

    /** The files that are asked for; there are no more tasks than files. */
    protected final Files files() {
        return new Files(directory, operation, files, Math.min(files, tasks), bytes, buffer, seed);
    }

    /** The name of the phase and of the job. */
    protected final String word() {
        return operation.name().toLowerCase(Locale.ROOT);
    }

    /** The engine's work, measured; gives the times of all files. */
    protected abstract List<DfsioTiming> timings(S session) throws Exception;

    @Override
    protected void work(S session, Outcome outcome) throws Exception {
        List<DfsioTiming> timings = timings(session);
        Answer moved = new Answer();
        timings.forEach(timing -> timing.put(moved));
        moved.write(answer);
        DfsioRates.report(timings, phases.measured(), outcome);
    }
}
