package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Writes the edges of a graph as lines of source, tab and target into part files: part i of P holds those of the
 * vertices [i*N/P, (i+1)*N/P), so the bytes depend neither on threads nor on which process wrote which part.
 */
public final class GraphGen extends Program {
    private static final int BUFFER = 1 << 18;
    /** Bytes of the longest line. */
    private static final int LINE = 22;

    @Option(names = "--vertices", required = true)
    @Bounds(min = 1, max = PowerGraph.MOST)
    private int vertices;

    @Mixin
    private GraphOptions graph;

    @Mixin
    private PartRange range;

    /** What a part has. */
    private record Written(long edges, long dangling, long bytes) {
        Written plus(Written other) {
            return new Written(edges + other.edges, dangling + other.dangling, bytes + other.bytes);
        }
    }

    public static void main(String[] args) {
        main(new GraphGen(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        List<PartRange.Part> parts = range.of(vertices);
        long count = range.count(vertices);
        Progress progress = new Progress(count);
        List<Callable<Written>> tasks = new ArrayList<>();
        for (PartRange.Part part : parts) {
            tasks.add(() -> write(part.file(), graph.graph(vertices), (int) part.first(), (int) part.end(),
                    progress));
        }
        long began = System.nanoTime();
        Written sum = Parallel.run(range.threads, tasks).stream().reduce(new Written(0, 0, 0), Written::plus);
        outcome.put("vertices", count).put("edges", sum.edges()).put("dangling", sum.dangling())
                .put("bytes", sum.bytes()).put("parts", parts.size()).put("seconds", (System.nanoTime() - began) / 1e9);
    }

    private static Written write(String file, PowerGraph graph, int first, int end, Progress progress)
            throws IOException {
        int[] targets = new int[PowerGraph.DEGREES];
        byte[] buffer = new byte[BUFFER];
        int used = 0;
        Written sum = new Written(0, 0, 0);
        try (Store.Writer out = Store.of(file).create(file)) {
            for (int vertex = first; vertex < end; vertex++) {
                int degree = graph.targets(vertex, targets);
                long before = sum.bytes();
                int begin = used;
                for (int i = 0; i < degree; i++) {
                    used = number(targets[i], buffer, number(vertex, buffer, used, '\t'), '\n');
                }
                sum = new Written(sum.edges() + degree, sum.dangling() + (degree == 0 ? 1 : 0), before + used - begin);
                if (used > BUFFER - PowerGraph.DEGREES * LINE) {
                    out.write(buffer, used);
                    used = 0;
                }
            }
            out.write(buffer, used);
        }
        progress.add(end - first);
        return sum;
    }

    /** Writes a number and a byte behind it; gives the place behind both. */
    private static int number(int value, byte[] to, int at, char behind) {
        int digits = 1;
        for (int rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        int rest = value;
        for (int i = at + digits - 1; i >= at; i--) {
            to[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        to[at + digits] = (byte) behind;
        return at + digits + 1;
    }
}
