package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Right outputs of WordCount, Grep and Sort are accepted, and each wrong one is named. */
class TextValidateTest {
    private static final TextSpec SPEC = new TextSpec(30, 300, 1, 3);
    private static final String PATTERN = "k[a-z]+";

    @TempDir
    static Path folder;
    private static long lines;
    private static String checksum;

    @BeforeAll
    static void outputs() throws Exception {
        parts("words", counted(WordCountValidate.answer(SPEC, 1)), 5);
        parts("matches", counted(GrepValidate.answer(SPEC, Pattern.compile(PATTERN), 1)), 2);
        Outcome made = new TextGen().call("--blocks", "30", "--words", "300", "--seed", "3", "--parts", "1",
                "--output", folder.resolve("text").toString());
        lines = (long) made.get("lines");
        checksum = made.get("checksum").toString();
        List<String> sorted = new ArrayList<>(Files.readAllLines(folder.resolve("text/part-00000")));
        sorted.sort(null);
        parts("sorted", sorted, 4);
    }

    @Test
    void rightOutputsAreAccepted() throws Exception {
        assertEquals("", words("words"));
        assertEquals("", matches("matches"));
        assertEquals("", sorted("sorted"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "LOSE|missing is", "REPEAT|a string is there twice,", "LOSE_AND_REPEAT|a string is there twice,",
        "TRUNCATE|ends within a line", "FIGURE|wrong count of", "CROSS|wrong count of", "DROP|part 0 is missing"})
    void wrongCountsOfWordsAreNamed(LineMutant mutant, String reason) throws Exception {
        assertNamed(reason, words(mutated("words", mutant)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "LOSE|missing is", "REPEAT|a string is there twice,", "LOSE_AND_REPEAT|a string is there twice,",
        "SWAP|order is broken at", "TRUNCATE|ends within a line", "FIGURE|wrong count of", "CROSS|wrong count of",
        "DROP|part 0 is missing"})
    void wrongMatchesAreNamed(LineMutant mutant, String reason) throws Exception {
        assertNamed(reason, matches(mutated("matches", mutant)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "LOSE|line count is", "REPEAT|line count is", "LOSE_AND_REPEAT|checksum is", "SWAP|order is broken in",
        "TRUNCATE|ends within a line", "FIGURE|checksum is", "CROSS|order is broken in", "DROP|part 0 is missing"})
    void wrongSortsAreNamed(LineMutant mutant, String reason) throws Exception {
        assertNamed(reason, sorted(mutated("sorted", mutant)));
    }

    @Test
    void partsInTheWrongOrderAreNamed() throws Exception {
        Path wrong = Files.createDirectories(folder.resolve("reversed"));
        for (int part = 0; part < 4; part++) {
            Files.copy(folder.resolve("sorted").resolve(PartFiles.name(part)), wrong.resolve(PartFiles.name(3 - part)));
        }
        assertNamed("order is broken between", sorted("reversed"));
    }

    @Test
    void aLineLongerThanABufferIsReadWhole() throws Exception {
        Path file = folder.resolve("long");
        Files.writeString(file, "b".repeat(1_000_000) + "\na\n");
        LineScan scan = LineScan.of(new PosixStore().list(file.toString()).get(0), new Progress(1));
        assertEquals(2, scan.sum.lines());
        assertEquals(1, scan.misordered);
        assertEquals(1_000_000, scan.first.length);
    }

    private static void assertNamed(String reason, String found) {
        assertTrue(found.contains(reason), found);
    }

    private static String mutated(String name, LineMutant mutant) throws Exception {
        String wrong = name + "-" + mutant.word();
        mutant.apply(folder.resolve(name), folder.resolve(wrong));
        return wrong;
    }

    private static String words(String name) throws Exception {
        return reason(new WordCountValidate(), name, "--blocks", "30", "--words", "300", "--seed", "3");
    }

    private static String matches(String name) throws Exception {
        return reason(new GrepValidate(), name, "--blocks", "30", "--words", "300", "--seed", "3",
                "--pattern", PATTERN);
    }

    private static String sorted(String name) throws Exception {
        return reason(new SortValidate(), name, "--lines", Long.toString(lines), "--checksum", checksum);
    }

    private static String reason(Program validator, String name, String... words) throws Exception {
        List<String> args = new ArrayList<>(List.of(words));
        args.addAll(List.of("--input", folder.resolve(name).toString(), "--threads", "2"));
        return validator.call(args.toArray(String[]::new)).reason();
    }

    private static List<String> counted(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(entry -> entry.getKey() + "\t" + entry.getValue()).toList();
    }

    private static void parts(String name, List<String> lines, int count) throws Exception {
        Path directory = Files.createDirectories(folder.resolve(name));
        for (int part = 0; part < count; part++) {
            List<String> own = lines.subList(part * lines.size() / count, (part + 1) * lines.size() / count);
            Files.writeString(directory.resolve(PartFiles.name(part)),
                    own.stream().map(line -> line + "\n").reduce("", String::concat));
        }
    }
}
