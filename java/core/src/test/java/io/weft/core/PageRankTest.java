package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PageRank's graph, its reference by a matrix, the blocks that engines carry, and wrong outputs. */
class PageRankTest {
    private static final int VERTICES = 300;

    @TempDir
    Path folder;

    @Test
    void bytesDoNotDependOnParallelism() throws Exception {
        generate("one", "--parts", "1");
        generate("many", "--parts", "9", "--threads", "3");
        generate("split", "--parts", "9", "--part-to", "4");
        generate("split", "--parts", "9", "--part-from", "4");
        assertEquals(text("one"), text("many"));
        assertEquals(text("one"), text("split"));
    }

    @Test
    void bothDegreesFollowPowerLaws() {
        PowerGraph graph = new PowerGraph(100_000, 1);
        int[] targets = new int[PowerGraph.DEGREES];
        int[] in = new int[100_000];
        int[] out = new int[PowerGraph.DEGREES];
        for (int vertex = 0; vertex < in.length; vertex++) {
            int degree = graph.targets(vertex, targets);
            out[degree]++;
            for (int i = 0; i < degree; i++) {
                in[targets[i]]++;
            }
        }
        assertEquals(Math.pow(2, 1.7), out[0] / (double) out[1], 0.1);
        assertEquals(Math.pow(4, 1.7), out[0] / (double) out[3], 0.8);
        assertTrue(out[0] > 40_000 && out[0] < 55_000, "dangling vertices: " + out[0]);
        Arrays.sort(in);
        // the share of the first k of N targets is (k/N)^(1/4)
        long edges = Arrays.stream(in).asLongStream().sum();
        long top = Arrays.stream(in).skip(99_990).asLongStream().sum();
        assertEquals(0.1, top / (double) edges, 0.01);
    }

    @Test
    void withoutSelfEdgesAllOthersRemain() throws Exception {
        generate("kept", "--parts", "2");
        generate("dropped", "--parts", "2", "--self-edges", "drop");
        List<String> kept = text("kept").lines().toList();
        List<String> others = kept.stream().filter(line -> !line.matches("(\\d+)\t\\1")).toList();
        assertTrue(others.size() < kept.size());
        assertEquals(others, text("dropped").lines().toList());
    }

    @ParameterizedTest
    @CsvSource({"spread,keep", "spread,merge", "leak,keep", "leak,merge"})
    void theReferenceIsTheMatrixToAPower(String dangling, String edges) {
        RankSpec spec = spec(7, dangling, edges);
        double[] ranks = new double[VERTICES];
        Arrays.fill(ranks, 1.0 / VERTICES);
        double[][] matrix = matrix(spec);
        for (int round = 0; round < 7; round++) {
            double[] next = new double[VERTICES];
            for (int to = 0; to < VERTICES; to++) {
                for (int from = 0; from < VERTICES; from++) {
                    next[to] += matrix[to][from] * ranks[from];
                }
                next[to] = 0.15 / VERTICES + 0.85 * next[to];
            }
            ranks = next;
        }
        assertArrayEquals(ranks, PageRankValidate.reference(spec, new PowerGraph(VERTICES, 5)::targets), 1e-15);
        assertEquals(dangling.equals("spread"), Math.abs(Arrays.stream(ranks).sum() - 1) < 1e-12);
    }

    private static double[][] matrix(RankSpec spec) {
        PowerGraph graph = new PowerGraph(VERTICES, 5);
        int[] targets = new int[PowerGraph.DEGREES];
        double[][] matrix = new double[VERTICES][VERTICES];
        for (int from = 0; from < VERTICES; from++) {
            int degree = graph.targets(from, targets);
            int[] own = spec.merge() ? Arrays.stream(targets, 0, degree).distinct().toArray()
                    : Arrays.copyOf(targets, degree);
            for (int to : own) {
                matrix[to][from] += 1.0 / own.length;
            }
            for (int to = 0; to < VERTICES && degree == 0 && spec.spread(); to++) {
                matrix[to][from] = 1.0 / VERTICES;
            }
        }
        return matrix;
    }

    @ParameterizedTest
    @CsvSource({"1,spread,keep", "4,spread,merge", "7,leak,keep", "299,leak,merge", "400,spread,keep"})
    void blocksFindTheRanksOfTheReference(int blocks, String dangling, String edges) throws Exception {
        RankSpec spec = spec(5, dangling, edges);
        double[] ranks = ranks(spec, blocks);
        double distance = 0;
        double[] right = PageRankValidate.reference(spec, new PowerGraph(VERTICES, 5)::targets);
        for (int vertex = 0; vertex < VERTICES; vertex++) {
            distance += Math.abs(right[vertex] - ranks[vertex]);
        }
        assertTrue(distance < 1e-13, "distance " + distance);
    }

    /** All rounds without an engine; blocks go through their bytes in each. */
    private double[] ranks(RankSpec spec, int count) throws Exception {
        generate("graph-" + count + spec, "--parts", "3");
        List<List<long[]>> edges = new ArrayList<>();
        for (int block = 0; block < count; block++) {
            edges.add(new ArrayList<>());
        }
        EdgeLines lines = new EdgeLines(spec, count, (block, chunk) -> edges.get(block).add(chunk));
        for (TextSplit split : TextSplit.of(folder.resolve("graph-" + count + spec).toString(), 1000)) {
            lines.read(split);
        }
        RankBlock[] blocks = new RankBlock[count];
        for (int block = 0; block < count; block++) {
            long[] own = edges.get(block).stream().flatMapToLong(Arrays::stream).toArray();
            blocks[block] = RankBlock.build(spec, count, block, own, own.length);
        }
        for (int round = 0; round < spec.rounds(); round++) {
            RankBlock[] next = new RankBlock[count];
            for (int to = 0; to < count; to++) {
                RankBlock.Gather gather = new RankBlock.Gather(spec, count, to);
                for (RankBlock from : blocks) {
                    gather.add(ByteBuffer.wrap(from.message(to)));
                }
                next[to] = RankBlock.of(spec, count, to, ByteBuffer.wrap(blocks[to].with(gather.ranks()).bytes()));
            }
            blocks = next;
        }
        return Arrays.stream(blocks).flatMapToDouble(block -> Arrays.stream(block.ranks())).toArray();
    }

    @Test
    void linesThatAreNoEdgesAreRefused() {
        EdgeLines lines = new EdgeLines(spec(1, "leak", "keep"), 2, (block, chunk) -> { });
        for (String line : List.of("", "1", "1\t", "1\t300", "-1\t2", "1 2", "1\t2\t3", "99999999999\t1")) {
            assertThrows(WrongInput.class, () -> lines.add(line.getBytes(), 0, line.length()), line);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"spread", "leak"})
    void aLostEdgeIsFoundWhicheverItIs(String dangling) {
        RankSpec spec = spec(4, dangling, "keep");
        PowerGraph graph = new PowerGraph(VERTICES, 5);
        double[] right = PageRankValidate.reference(spec, graph::targets);
        List<LostEdge.Edge> edges = LostEdge.weakest(spec, graph, right, Integer.MAX_VALUE);
        for (LostEdge.Edge edge : edges) {
            double[] lost = PageRankValidate.reference(spec, LostEdge.without(graph, edge));
            double change = LostEdge.largest(lost, right);
            assertTrue(change > edge.share() / 2, edge + " changes " + change);
        }
        int[] targets = new int[PowerGraph.DEGREES];
        int others = 0;
        for (int vertex = 0; vertex < VERTICES; vertex++) {
            int degree = graph.targets(vertex, targets);
            if (LostEdge.withoutEffect(targets, degree)) {
                others += degree;
                LostEdge.Edge edge = new LostEdge.Edge(vertex, 0, targets[0], 0);
                double[] lost = PageRankValidate.reference(spec, LostEdge.without(graph, edge));
                assertTrue(LostEdge.largest(lost, right) < 1e-14, "the ranks are right without it");
            }
        }
        assertTrue(others > 0 && others < edges.size() / 20, others + " beside " + edges.size());
    }

    @Test
    void theBoundIsBetweenRoundingAndALostEdge() throws Exception {
        Outcome outcome = new LostEdge().call("--vertices", "30000", "--tried", "1");
        assertEquals("", outcome.reason());
        assertTrue((double) outcome.get("rounding") < 1e-12, outcome.get("rounding").toString());
        assertThrows(UsageError.class, () -> new LostEdge().call("--vertices", "100", "--edges", "merge"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "LOSE|1 of 300 vertices are missing", "REPEAT|1 vertices are there twice", "LOSE_AND_REPEAT|are missing",
        "TRUNCATE|ends within a line", "FIGURE|from the reference", "CROSS|from the reference",
        "DROP|part 0 is missing"})
    void wrongRanksAreNamed(LineMutant mutant, String reason) throws Exception {
        right();
        mutant.apply(folder.resolve("right"), folder.resolve("wrong"));
        String found = validate("wrong", "keep");
        assertTrue(found.contains(reason), found);
    }

    @Test
    void rightRanksAreAcceptedOnlyInTheirOwnMode() throws Exception {
        right();
        assertEquals("", validate("right", "keep"));
        assertTrue(validate("right", "merge").contains("from the reference"));
        assertTrue(validate("right", "keep", "--self-edges", "drop").contains("from the reference"));
    }

    private void right() throws Exception {
        double[] ranks = PageRankValidate.reference(spec(4, "spread", "keep"), new PowerGraph(VERTICES, 5)::targets);
        Path directory = Files.createDirectories(folder.resolve("right"));
        for (int part = 0; part < 3; part++) {
            StringBuilder lines = new StringBuilder();
            for (int vertex = part * 100; vertex < part * 100 + 100; vertex++) {
                lines.append(vertex).append('\t').append(ranks[vertex]).append('\n');
            }
            Files.writeString(directory.resolve(PartFiles.name(part)), lines);
        }
    }

    private String validate(String name, String edges, String... more) throws Exception {
        List<String> args = new ArrayList<>(List.of("--input", folder.resolve(name).toString(), "--seed", "5",
                "--vertices", "300", "--rounds", "4", "--edges", edges));
        args.addAll(List.of(more));
        return new PageRankValidate().call(args.toArray(String[]::new)).reason();
    }

    @Test
    void aSumOfManyEqualRanksIsExactToItsLastBits() {
        Sum sum = new Sum();
        double plain = 0;
        int count = 10_000_000;
        for (int i = 0; i < count; i++) {
            sum.add(1.0 / (2 * count));
            plain += 1.0 / (2 * count);
        }
        assertEquals(0.5, sum.value(), 1e-15);
        assertTrue(Math.abs(plain - 0.5) > 1e-13, "a plain sum is off by more");
    }

    private static RankSpec spec(int rounds, String dangling, String edges) {
        return new RankSpec(VERTICES, rounds, 0.85, dangling.equals("spread"), edges.equals("merge"));
    }

    private void generate(String name, String... more) throws Exception {
        List<String> args = new ArrayList<>(List.of("--vertices", "300", "--seed", "5", "--output",
                folder.resolve(name).toString()));
        args.addAll(List.of(more));
        new GraphGen().call(args.toArray(String[]::new));
    }

    private String text(String name) throws Exception {
        StringBuilder all = new StringBuilder();
        for (Store.Input part : PartFiles.in(folder.resolve(name).toString()).values()) {
            all.append(Files.readString(Path.of(part.name())));
        }
        return all.toString();
    }
}
