package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Writes the edges of a graph as lines of source, tab and target into part files: part i of P holds those of the
 * vertices [i*N/P, (i+1)*N/P), so the bytes depend neither on threads nor on which process wrote which part.
 */
public final class GraphGen {
    private static final List<String> KEYS =
            List.of("vertices", "seed", "parts", "part-from", "part-to", "threads", "output");
    private static final int BUFFER = 1 << 18;
    /** Bytes of the longest line. */
    private static final int LINE = 22;

    private GraphGen() {
    }

    /** What a part has. */
    private record Part(long edges, long dangling, long bytes) {
        Part plus(Part other) {
            return new Part(edges + other.edges, dangling + other.dangling, bytes + other.bytes);
        }
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, GraphGen::run));
    }

    /** Runs it as its main method does. */
    public static void run(Options options, Outcome outcome) throws Exception {
        int vertices = (int) options.number("vertices", 1, PowerGraph.MOST);
        long seed = options.number("seed", 0, 0, Long.MAX_VALUE);
        int parts = options.integer("parts", 1, 1, 1_000_000);
        int from = options.integer("part-from", 0, 0, parts);
        int to = options.integer("part-to", parts, from, parts);
        int threads = options.integer("threads", Parallel.processors(), 1, 1024);
        String output = options.text("output");
        int first = (int) TeraGen.start(vertices, parts, from);
        int end = (int) TeraGen.start(vertices, parts, to);
        Progress progress = new Progress(end - first);
        List<Callable<Part>> tasks = new ArrayList<>();
        for (int part = from; part < to; part++) {
            int begin = (int) TeraGen.start(vertices, parts, part);
            int stop = (int) TeraGen.start(vertices, parts, part + 1);
            String file = output + "/" + PartFiles.name(part);
            tasks.add(() -> write(file, new PowerGraph(vertices, seed), begin, stop, progress));
        }
        long began = System.nanoTime();
        Part sum = Parallel.run(threads, tasks).stream().reduce(new Part(0, 0, 0), Part::plus);
        outcome.put("vertices", end - first).put("edges", sum.edges()).put("dangling", sum.dangling())
                .put("bytes", sum.bytes()).put("parts", to - from).put("seconds", (System.nanoTime() - began) / 1e9);
    }

    private static Part write(String file, PowerGraph graph, int first, int end, Progress progress)
            throws IOException {
        int[] targets = new int[PowerGraph.DEGREES];
        byte[] buffer = new byte[BUFFER];
        int used = 0;
        Part sum = new Part(0, 0, 0);
        try (Store.Writer out = Store.of(file).create(file)) {
            for (int vertex = first; vertex < end; vertex++) {
                int degree = graph.targets(vertex, targets);
                long before = sum.bytes();
                int begin = used;
                for (int i = 0; i < degree; i++) {
                    used = number(targets[i], buffer, number(vertex, buffer, used, '\t'), '\n');
                }
                sum = new Part(sum.edges() + degree, sum.dangling() + (degree == 0 ? 1 : 0), before + used - begin);
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
