package io.weft.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Checks Dfsio without any engine. What was written or appended is read and held against the generator byte by byte;
 * for what was read, which leaves nothing, the right checksum is worked out.
 */
public final class DfsioValidate {
    private static final List<String> KEYS =
            List.of("input", "files", "bytes", "seed", "buffer", "operation", "threads");

    private DfsioValidate() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, DfsioValidate::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String input = options.text("input");
        int files = (int) options.number("files", 1, Integer.MAX_VALUE);
        long bytes = options.number("bytes", 0, 1L << 50);
        long seed = options.number("seed", 0, 0, 1 << 30);
        int buffer = options.integer("buffer", DfsioFile.BUFFER, Long.BYTES, 1 << 30);
        DfsioFile.Operation operation = DfsioFile.Operation.valueOf(
                options.choice("operation", "write", "write", "append", "read", "random").toUpperCase(java.util.Locale.ROOT));
        boolean written = operation == DfsioFile.Operation.WRITE || operation == DfsioFile.Operation.APPEND;
        long whole = operation == DfsioFile.Operation.APPEND ? 2 * bytes : bytes;
        if (written) {
            lengths(PartFiles.in(input), files, whole, outcome);
            if (!outcome.valid()) {
                return;
            }
        }
        Progress progress = new Progress(files * whole);
        List<Callable<DfsioTiming>> tasks = new ArrayList<>();
        for (int number = 0; number < files; number++) {
            DfsioFile file = DfsioFile.of(input, number, seed, bytes, buffer);
            tasks.add(() -> {
                if (written) {
                    new DfsioFile(file.name(), file.number(), seed, whole, DfsioFile.BUFFER)
                            .measure(DfsioFile.Operation.READ, Store.of(input));
                }
                progress.add(whole);
                return new DfsioTiming(file.number(), bytes, 0, 0, file.answer(operation));
            });
        }
        DfsioRates.proof(Parallel.run(options.integer("threads", Parallel.processors(), 1, 1024), tasks), outcome);
    }

    private static void lengths(TreeMap<Integer, Store.Input> parts, int files, long bytes, Outcome outcome) {
        outcome.same("number of files", parts.size(), files);
        for (Map.Entry<Integer, Store.Input> part : parts.entrySet()) {
            if (part.getKey() >= files) {
                outcome.problem("the file " + part.getValue().name() + " is one too many");
            } else if (part.getValue().length() != bytes) {
                outcome.problem("the file " + part.getValue().name() + " has " + part.getValue().length()
                        + " bytes, expected " + bytes);
            }
        }
    }
}
