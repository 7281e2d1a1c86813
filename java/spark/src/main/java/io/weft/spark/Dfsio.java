package io.weft.spark;

import io.weft.core.DfsioFile;
import io.weft.core.DfsioRates;
import io.weft.core.DfsioTiming;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.Store;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;

/**
 * TestDFSIO by Spark's tasks: each task does the same operation on its share of the files, one after another, and
 * reports the time of each. The measured seconds are those of the whole job; the files' own times give the rates.
 */
public final class Dfsio {
    private static final List<String> KEYS =
            Session.keys("directory", "operation", "files", "bytes", "buffer", "seed", "tasks");

    private Dfsio() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Dfsio::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String directory = options.text("directory");
        String word = options.choice("operation", "write", "write", "append", "read", "random");
        DfsioFile.Operation operation = DfsioFile.Operation.valueOf(word.toUpperCase(Locale.ROOT));
        int files = options.integer("files", 1, 1, 1_000_000);
        int tasks = options.integer("tasks", files, 1, 1_000_000);
        long bytes = options.number("bytes", 1 << 20, 0, 1L << 50);
        int buffer = options.integer("buffer", DfsioFile.BUFFER, Long.BYTES, 1 << 30);
        long seed = options.number("seed", 0, 0, 1 << 30);
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(new SparkConf().setAppName("dfsio-" + word), options));
        List<DfsioTiming> timings;
        long began;
        long ended;
        try (session) {
            List<Integer> numbers = IntStream.range(0, files).boxed().toList();
            began = System.nanoTime();
            timings = phases.time(word, () -> session.spark.parallelize(numbers, Math.min(files, tasks))
                    .map(number -> DfsioFile.of(directory, number, seed, bytes, buffer)
                            .measure(operation, Store.of(directory)))
                    .collect());
            ended = System.nanoTime();
        }
        DfsioRates.report(timings, (ended - began) / 1e9, outcome);
        phases.report(outcome, word);
        session.report(outcome);
    }
}
