package io.weft.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weft.core.GraphGen;
import io.weft.core.GrepValidate;
import io.weft.core.Outcome;
import io.weft.core.PageRankValidate;
import io.weft.core.PiAnswer;
import io.weft.core.Program;
import io.weft.core.SortValidate;
import io.weft.core.Sum128;
import io.weft.core.TeraCountValidate;
import io.weft.core.TeraGen;
import io.weft.core.TeraRecord;
import io.weft.core.TeraValidate;
import io.weft.core.TextGen;
import io.weft.core.WordCountValidate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every job by Flink's cluster within one process, its output compared with the answer. */
class JobsTest {
    private static final String[] TEXT = {"--blocks", "60", "--words", "5000", "--seed", "2"};
    private static final String[] GRAPH = {"--vertices", "800"};

    @TempDir
    static Path folder;
    private static Outcome text;

    @BeforeAll
    static void inputs() throws Exception {
        text = run(new TextGen(), TEXT, "--parts", "3", "--output", path("text"));
        run(new GraphGen(), GRAPH, "--parts", "3", "--output", path("graph"));
    }

    @Test
    void wordsAreCounted() throws Exception {
        run(new WordCount(), job("text", "words"));
        run(new WordCountValidate(), TEXT, "--input", path("words"));
    }

    @Test
    void matchesAreCountedAndInOrder() throws Exception {
        String[] pattern = {"--pattern", "k[a-z]+"};
        run(new Grep(), job("text", "matches"), pattern);
        run(new GrepValidate(), TEXT, "--input", path("matches"), "--pattern", "k[a-z]+");
    }

    @Test
    void linesAreSorted() throws Exception {
        run(new Sort(), job("text", "sorted"));
        run(new SortValidate(), new String[] {"--input", path("sorted")}, "--lines", text.get("lines").toString(),
                "--checksum", text.get("checksum").toString());
    }

    @Test
    void recordsAreCountedWhereTheyBelong() throws Exception {
        String[] answer = {"--answer", path("counted"), "--partitions", "2"};
        run(new TeraGen(), new String[] {"--rows", "9000"}, "--parts", "3", "--output", path("records"));
        run(new TeraCount(), answer, "--input", path("records"), "--split-bytes", "200000");
        run(new TeraCountValidate(), answer, "--rows", "9000");
    }

    @Test
    void pointsAreCounted() throws Exception {
        String[] points = {"--points", "100003"};
        assertEquals(run(new PiAnswer(), points).get("inside"), run(new Pi(), points, "--tasks", "5").get("inside"));
    }

    @ParameterizedTest
    @CsvSource({"0,spread,keep", "1,leak,merge", "3,spread,merge"})
    void ranksAreThoseOfTheReference(String rounds, String dangling, String edges) throws Exception {
        String[] definition = {"--vertices", "800", "--rounds", rounds, "--dangling", dangling, "--edges", edges};
        String name = "ranks-" + rounds;
        run(new PageRank(), job("graph", name), definition);
        run(new PageRankValidate(), definition, "--input", path(name));
    }

    @Test
    void aGraphWithoutEdgesHasRanksToo() throws Exception {
        String[] one = {"--vertices", "1"};
        run(new GraphGen(), one, "--self-edges", "drop", "--parts", "2", "--output", path("no-edges"));
        run(new PageRank(), job("no-edges", "ranks-of-one"), one);
        run(new PageRankValidate(), one, "--self-edges", "drop", "--input", path("ranks-of-one"));
    }

    @ParameterizedTest
    @CsvSource({"raw", "stock"})
    void recordsWhoseKeysDifferInTheLastBytesAreSorted(String method) throws Exception {
        Path input = Files.createDirectories(folder.resolve("tied-" + method));
        Random random = new Random(3);
        byte[] records = new byte[3000 * TeraRecord.LENGTH];
        random.nextBytes(records);
        Sum128 sum = new Sum128();
        for (int at = 0; at < records.length; at += TeraRecord.LENGTH) {
            Arrays.fill(records, at, at + 8, (byte) (at % 300 - 100));
            CRC32 crc = new CRC32();
            crc.update(records, at, TeraRecord.LENGTH);
            sum.add(crc.getValue());
        }
        Files.write(input.resolve("part-00000"), records);
        String output = path("sorted-" + method);
        run(new TeraSort(), new String[] {"--input", input.toString(), "--output", output}, "--partitions", "2",
                "--method", method);
        run(new TeraValidate(), new String[] {"--input", output}, "--rows", "3000", "--checksum", sum.hex());
    }

    private static String[] job(String input, String output) {
        return new String[] {"--input", path(input), "--output", path(output), "--partitions", "3",
            "--split-bytes", "100000"};
    }

    private static String path(String name) {
        return folder.resolve(name).toString();
    }

    private static Outcome run(Program program, String[] some, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of(some));
        words.addAll(List.of(more));
        Outcome outcome = program.call(words.toArray(String[]::new));
        assertEquals("", outcome.reason());
        return outcome;
    }
}
