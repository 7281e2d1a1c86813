package io.weft.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/**
 * Checks Dfsio without any engine. What was written or appended is read and compared with the generator byte by byte. Of
 * what was read nothing is left but bytes and CRC32 of each file, which must be those of the generator's bytes.
 */
public final class DfsioValidate extends AnswerCheck {
    @Option(names = "--input", required = true)
    private String input;

    @Option(names = "--files", required = true)
    @Bounds(min = 1)
    private int files;

    @Option(names = "--bytes", required = true)
    @Bounds(min = 0, max = 1L << 50)
    private long bytes;

    @Option(names = "--seed")
    @Bounds(min = 0, max = 1 << 30)
    private long seed;

    @Option(names = "--buffer")
    @Bounds(min = Long.BYTES, max = 1 << 30)
    private int buffer = DfsioFile.BUFFER;

    @Option(names = "--operation")
    private DfsioFile.Operation operation = DfsioFile.Operation.WRITE;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    public static void main(String[] args) {
        main(new DfsioValidate(), args);
    }

    @Override
    protected void check(Answer answer, Outcome outcome) throws Exception {
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
                    new DfsioFile(file.name(), file.number(), seed, whole, DfsioFile.BUFFER).require(Store.of(input));
                }
                progress.add(whole);
                return new DfsioTiming(file.number(), bytes, 0, 0, file.answer(operation));
            });
        }
        for (DfsioTiming right : Parallel.run(threads, tasks)) {
            String name = "file " + right.number();
            long[] moved = answer.wholes(name, 2);
            outcome.same("bytes of " + name, moved[0], right.bytes());
            outcome.same("CRC32 of " + name, moved[1], right.crc());
        }
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
