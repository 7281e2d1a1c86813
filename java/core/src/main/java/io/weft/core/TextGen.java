package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Writes text into part files: part i of P holds the blocks [i*N/P, (i+1)*N/P), so the bytes depend neither on threads
 * nor on which process wrote which part. The sum of the CRC32 of its lines goes into the outcome.
 */
public final class TextGen {
    private static final int MAX_PARTS = 1_000_000;
    /** Blocks a buffer holds: 250 kB, to stay in a core's own cache between filling and writing. */
    private static final int BATCH = 25;

    private TextGen() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args,
                TextSpec.keys("parts", "part-from", "part-to", "threads", "output"), TextGen::run));
    }

    /** Runs it as its main method does. */
    public static void run(Options options, Outcome outcome) throws Exception {
        TextSpec spec = TextSpec.of(options);
        int parts = options.integer("parts", 1, 1, MAX_PARTS);
        int from = options.integer("part-from", 0, 0, parts);
        int to = options.integer("part-to", parts, from, parts);
        int threads = options.integer("threads", Parallel.processors(), 1, 1024);
        String output = options.text("output");
        long blocks = TeraGen.start(spec.blocks(), parts, to) - TeraGen.start(spec.blocks(), parts, from);
        Progress progress = new Progress(blocks);
        ZipfWords vocabulary = spec.vocabulary();
        List<Callable<LineSum>> tasks = new ArrayList<>();
        for (int part = from; part < to; part++) {
            String file = output + "/" + PartFiles.name(part);
            long first = TeraGen.start(spec.blocks(), parts, part);
            long end = TeraGen.start(spec.blocks(), parts, part + 1);
            tasks.add(() -> write(file, new TextBlocks(vocabulary, spec.seed()), first, end, progress));
        }
        long began = System.nanoTime();
        LineSum sum = new LineSum();
        Parallel.run(threads, tasks).forEach(sum::add);
        sum.report(outcome.put("blocks", blocks));
        outcome.put("parts", to - from).put("threads", threads).put("seconds", (System.nanoTime() - began) / 1e9);
    }

    private static LineSum write(String file, TextBlocks text, long first, long end, Progress progress)
            throws IOException {
        byte[] bytes = new byte[BATCH * TextBlocks.BLOCK + TextBlocks.SLACK];
        LineSum sum = new LineSum();
        try (Store.Writer out = Store.of(file).create(file)) {
            for (long block = first; block < end; block += BATCH) {
                int batch = (int) Math.min(BATCH, end - block);
                for (int i = 0; i < batch; i++) {
                    sum.words(text.write(block + i, bytes, i * TextBlocks.BLOCK));
                }
                sum.lines(bytes, batch * TextBlocks.BLOCK);
                out.write(bytes, batch * TextBlocks.BLOCK);
                progress.add(batch);
            }
        }
        return sum;
    }
}
