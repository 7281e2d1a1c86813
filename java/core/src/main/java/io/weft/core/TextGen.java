package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/**
 * Writes text into part files: part i of P holds the blocks [i*N/P, (i+1)*N/P), so the bytes depend neither on threads
 * nor on which process wrote which part. The sum of the CRC32 of its lines goes into the outcome.
 */
public final class TextGen extends Program {
    /** Blocks a buffer holds: 250 kB, to stay in a core's own cache between filling and writing. */
    private static final int BATCH = 25;

    @Mixin
    private TextOptions text;

    @Mixin
    private PartRange range;

    public static void main(String[] args) {
        main(new TextGen(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        TextSpec spec = text.spec();
        List<PartRange.Part> parts = range.of(spec.blocks());
        long blocks = range.count(spec.blocks());
        Progress progress = new Progress(blocks);
        ZipfWords vocabulary = spec.vocabulary();
        List<Callable<LineSum>> tasks = new ArrayList<>();
        for (PartRange.Part part : parts) {
            TextBlocks own = new TextBlocks(vocabulary, spec.seed());
            tasks.add(() -> write(part.file(), own, part.first(), part.end(), progress));
        }
        long began = System.nanoTime();
        LineSum sum = new LineSum();
        Parallel.run(range.threads, tasks).forEach(sum::add);
        sum.report(outcome.put("blocks", blocks));
        outcome.put("parts", parts.size()).put("threads", range.threads)
                .put("seconds", (System.nanoTime() - began) / 1e9);
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
