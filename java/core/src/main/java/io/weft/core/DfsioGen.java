package io.weft.core;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** Makes files for the reads and appends of Dfsio, those with the numbers [from, to). */
public final class DfsioGen {
    private static final List<String> KEYS = List.of("output", "from", "to", "bytes", "seed", "threads");

    private DfsioGen() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, DfsioGen::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String output = options.text("output");
        int to = (int) options.number("to", 0, Integer.MAX_VALUE);
        int from = (int) options.number("from", 0, to);
        long bytes = options.number("bytes", 0, 1L << 50);
        long seed = options.number("seed", 0, 0, 1 << 30);
        Progress progress = new Progress((to - from) * bytes);
        List<Callable<DfsioTiming>> tasks = IntStream.range(from, to).<Callable<DfsioTiming>>mapToObj(number -> () -> {
            DfsioFile file = DfsioFile.of(output, number, seed, bytes, DfsioFile.BUFFER);
            DfsioTiming timing = file.measure(DfsioFile.Operation.WRITE, Store.of(output));
            progress.add(bytes);
            return timing;
        }).toList();
        DfsioRates.proof(Parallel.run(options.integer("threads", Parallel.processors(), 1, 1024), tasks), outcome);
    }
}
