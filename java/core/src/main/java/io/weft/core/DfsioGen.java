package io.weft.core;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;

/** Makes files for the reads and appends of Dfsio, those with the numbers [from, to). */
public final class DfsioGen extends Program {
    @Option(names = "--output", required = true)
    private String output;

    @Option(names = "--from")
    @Bounds(min = 0)
    private int from;

    @Option(names = "--to", required = true)
    @Bounds(min = 0)
    private int to;

    @Option(names = "--bytes", required = true)
    @Bounds(min = 0, max = 1L << 50)
    private long bytes;

    @Option(names = "--seed")
    @Bounds(min = 0, max = 1 << 30)
    private long seed;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    public static void main(String[] args) {
        main(new DfsioGen(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        if (from > to) {
            throw new UsageError("Option --from must not be above --to, " + to + ".");
        }
        Progress progress = new Progress((to - from) * bytes);
        List<Callable<DfsioTiming>> tasks = IntStream.range(from, to).<Callable<DfsioTiming>>mapToObj(number -> () -> {
            DfsioFile file = DfsioFile.of(output, number, seed, bytes, DfsioFile.BUFFER);
            DfsioTiming timing = file.measure(DfsioFile.Operation.WRITE, Store.of(output));
            progress.add(bytes);
            return timing;
        }).toList();
        DfsioRates.moved(Parallel.run(threads, tasks), outcome);
    }
}
