package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.zip.CRC32;

/**
 * Writes Hadoop's TeraGen rows into part files: part i of P holds the rows [i*N/P, (i+1)*N/P), so the bytes
 * depend neither on threads nor on which process wrote which part. Seed 0 gives Hadoop's rows; seed S starts at
 * row S * 2^40 of the same sequence, so that seeds never share a row.
 */
public final class TeraGen {
    /** Rows from one seed to the next; also the most rows one seed gives. */
    public static final long ROWS_PER_SEED = 1L << 40;
    private static final int MAX_SEED = 1 << 22;
    private static final int MAX_PARTS = 1_000_000;
    /** Rows a buffer holds: 256 kB, to stay in a core's own cache between filling and writing. */
    private static final int BATCH = 2560;
    private static final List<String> KEYS =
            List.of("rows", "parts", "part-from", "part-to", "threads", "seed", "output");

    private TeraGen() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, TeraGen::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        long rows = options.number("rows", 0, ROWS_PER_SEED);
        int parts = options.integer("parts", 1, 1, MAX_PARTS);
        int from = options.integer("part-from", 0, 0, parts);
        int to = options.integer("part-to", parts, from, parts);
        int threads = options.integer("threads", Parallel.processors(), 1, 1024);
        long first = options.number("seed", 0, 0, MAX_SEED) * ROWS_PER_SEED;
        String output = options.text("output");

        long count = start(rows, parts, to) - start(rows, parts, from);
        Progress progress = new Progress(count);
        List<Callable<Sum128>> tasks = new ArrayList<>();
        for (int part = from; part < to; part++) {
            String file = output + "/" + PartFiles.name(part);
            long begin = start(rows, parts, part);
            long length = start(rows, parts, part + 1) - begin;
            tasks.add(() -> write(file, first + begin, length, progress));
        }
        long began = System.nanoTime();
        Sum128 sum = new Sum128();
        Parallel.run(threads, tasks).forEach(sum::add);
        double seconds = (System.nanoTime() - began) / 1e9;
        outcome.put("rows", count).put("bytes", count * TeraRecord.LENGTH).put("checksum", sum.hex())
                .put("parts", to - from).put("threads", threads).put("seconds", seconds);
    }

    /** The first row of a part, relative to the seed's first. */
    static long start(long rows, int parts, int part) {
        return part * rows / parts;
    }

    /** Writes rows to a file and gives the sum of their CRC32. */
    static Sum128 write(String file, long first, long rows, Progress progress) throws IOException {
        TeraRows generator = new TeraRows(first);
        Sum128 sum = new Sum128();
        CRC32 crc = new CRC32();
        byte[] bytes = new byte[BATCH * TeraRecord.LENGTH];
        try (Store.Writer out = Store.of(file).create(file)) {
            for (long rest = rows; rest > 0;) {
                int batch = (int) Math.min(BATCH, rest);
                fill(generator, bytes, batch, crc, sum);
                out.write(bytes, batch * TeraRecord.LENGTH);
                rest -= batch;
                progress.add(batch);
            }
        }
        return sum;
    }

    private static void fill(TeraRows generator, byte[] bytes, int batch, CRC32 crc, Sum128 sum) {
        for (int i = 0; i < batch; i++) {
            generator.next(bytes, i * TeraRecord.LENGTH);
            crc.reset();
            crc.update(bytes, i * TeraRecord.LENGTH, TeraRecord.LENGTH);
            sum.add(crc.getValue());
        }
    }
}
