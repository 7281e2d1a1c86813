package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weft.core.DfsioValidate;
import io.weft.core.GraphGen;
import io.weft.core.GrepValidate;
import io.weft.core.Outcome;
import io.weft.core.PageRankValidate;
import io.weft.core.PerfValidate;
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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every job by Spark within one process, its output compared with the answer. */
@ExtendWith(LocalSpark.class)
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
        run(new Grep(), job("text", "matches"), "--pattern", "k[a-z]+");
        run(new GrepValidate(), TEXT, "--input", path("matches"), "--pattern", "k[a-z]+");
    }

    @Test
    void linesAreSorted() throws Exception {
        run(new Sort(), job("text", "sorted"));
        run(new SortValidate(), new String[] {"--input", path("sorted")}, "--lines", text.get("lines").toString(),
                "--checksum", text.get("checksum").toString());
    }

    @Test
    void pointsAreCounted() throws Exception {
        String[] points = {"--points", "100003"};
        assertEquals(run(new PiAnswer(), points).get("inside"),
                run(new Pi(), points, "--tasks", "5", "--executors", "0").get("inside"));
    }

    @Test
    void filesHoldWhatWasAskedFor() throws Exception {
        String[] files = {"--files", "3", "--bytes", "80000"};
        String[] answer = {"--answer", path("moved")};
        run(new Dfsio(), files, "--directory", path("files"), "--executors", "0", "--seed", "4", answer[0], answer[1]);
        run(new DfsioValidate(), files, "--input", path("files"), "--seed", "4", answer[0], answer[1]);
        run(new Dfsio(), files, "--directory", path("files"), "--executors", "0", "--operation", "random", answer[0],
                answer[1]);
        run(new DfsioValidate(), files, "--input", path("files"), "--seed", "4", "--operation", "random", answer[0],
                answer[1]);
    }

    @Test
    void recordsAreCountedWhereTheyBelong() throws Exception {
        String[] answer = {"--answer", path("counted"), "--partitions", "5"};
        run(new TeraGen(), new String[] {"--rows", "9000"}, "--parts", "3", "--output", path("records"));
        run(new TeraCount(), answer, "--input", path("records"), "--split-bytes", "200000", "--executors", "0");
        run(new TeraCountValidate(), answer, "--rows", "9000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"scheduling-throughput", "aggregate-by-key", "aggregate-by-key-int", "aggregate-by-key-naive",
        "sort-by-key", "sort-by-key-int", "count", "count-with-filter"})
    void answersOfSparkPerfAreRight(String test) throws Exception {
        String[] asked = {"--test", test, "--records", "20001", "--unique-keys", "300", "--partitions", "3", "--tasks",
            "20", "--answer", path("answer-" + test)};
        run(new SparkPerf(), asked, "--executors", "0");
        run(new PerfValidate(), asked);
    }

    @ParameterizedTest
    @CsvSource({"0,spread,keep", "1,leak,merge", "3,spread,merge"})
    void bothMethodsFindTheRanksOfTheReference(String rounds, String dangling, String edges) throws Exception {
        String[] definition = {"--vertices", "800", "--rounds", rounds, "--dangling", dangling, "--edges", edges};
        for (String method : List.of("own", "graphx")) {
            String name = method + "-" + rounds;
            run(new PageRank(), job("graph", name), definition[0], definition[1], definition[2], definition[3],
                    definition[4], definition[5], definition[6], definition[7], "--method", method);
            run(new PageRankValidate(), definition, "--input", path(name));
        }
    }

    @ParameterizedTest
    @CsvSource({"raw,3", "raw,70", "stock,3", "kryo,3"})
    void recordsWhoseKeysDifferInTheLastBytesAreSorted(String method, int parts) throws Exception {
        Path input = Files.createDirectories(folder.resolve("tied-" + method + parts));
        String checksum = tied(input.resolve("part-00000"));
        String output = path("sorted-" + method + parts);
        Outcome ran = run(new TeraSort(), new String[] {"--input", input.toString(), "--output", output}, "--partitions",
                "" + parts, "--method", method, "--executors", "0");
        assertEquals(List.of(method, 3000L, 3000L),
                List.of(ran.get("method"), ran.get("rows_in"), ran.get("rows_out")));
        Outcome found = run(new TeraValidate(), new String[] {"--input", output}, "--rows", "3000",
                "--checksum", checksum);
        assertEquals(parts, found.get("parts"));
    }

    @ParameterizedTest
    @CsvSource({"raw", "stock"})
    void withoutTheSortEveryRecordIsThereAndNotInOrder(String method) throws Exception {
        Path input = Files.createDirectories(folder.resolve("unsorted-" + method));
        String checksum = tied(input.resolve("part-00000"));
        String output = path("parted-" + method);
        run(new TeraSort(), new String[] {"--input", input.toString(), "--output", output}, "--partitions", "3",
                "--method", method, "--sort", "false", "--executors", "0");
        String[] answer = {"--input", output, "--rows", "3000", "--checksum", checksum, "--order"};
        run(new TeraValidate(), answer, "none");
        String[] ordered = Arrays.copyOf(answer, answer.length + 1);
        ordered[answer.length] = "key";
        assertEquals(false, new TeraValidate().call(ordered).valid());
    }

    @Test
    void theSortIsSparksUnlessAskedOtherwise() throws Exception {
        Path input = Files.createDirectories(folder.resolve("plain"));
        tied(input.resolve("part-00000"));
        String[] places = {"--input", input.toString(), "--output", path("sorted-plain")};
        assertEquals("stock", run(new TeraSort(), places, "--executors", "0").get("method"));
    }

    /** Writes records that share the first 8 bytes of their keys in groups, some of them above 127; gives their sum. */
    private static String tied(Path file) throws Exception {
        byte[] records = new byte[3000 * TeraRecord.LENGTH];
        new Random(3).nextBytes(records);
        Sum128 sum = new Sum128();
        for (int at = 0; at < records.length; at += TeraRecord.LENGTH) {
            Arrays.fill(records, at, at + 8, (byte) (at % 300 - 100));
            CRC32 crc = new CRC32();
            crc.update(records, at, TeraRecord.LENGTH);
            sum.add(crc.getValue());
        }
        Files.write(file, records);
        return sum.hex();
    }

    private static String[] job(String input, String output) {
        return new String[] {"--input", path(input), "--output", path(output), "--partitions", "3",
            "--split-bytes", "100000", "--executors", "0"};
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
