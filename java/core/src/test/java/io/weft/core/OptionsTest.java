package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OptionsTest {
    private static final List<String> KNOWN = List.of("rows", "parts", "order");

    @Test
    void readsNumbersWordsAndDefaults() {
        Options options = parse("--rows", "12", "--order", "none");
        assertEquals(12, options.number("rows", 0, 100));
        assertEquals(3, options.integer("parts", 3, 1, 9));
        assertEquals("none", options.choice("order", "key", "key", "none"));
    }

    @Test
    void refusesWhatItCannotObey() {
        assertTrue(refusal(() -> parse("--row", "1")).contains("did you mean --rows?"));
        assertTrue(refusal(() -> parse("rows", "1")).contains("Unknown option rows"));
        assertTrue(refusal(() -> parse("--rows")).contains("needs a value"));
        assertTrue(refusal(() -> parse("--rows", "1", "--rows", "2")).contains("twice"));
        assertTrue(refusal(() -> parse("--rows", "1e3").number("rows", 0, 9)).contains("not 1e3"));
        assertTrue(refusal(() -> parse("--rows", "10").number("rows", 0, 9)).contains("from 0 to 9"));
        assertTrue(refusal(() -> parse("--order", "x").choice("order", "a", "a", "b")).contains("a, b"));
        assertTrue(refusal(() -> parse().text("rows")).contains("--rows is missing"));
    }

    @Test
    void decimalsHaveBounds() {
        assertEquals(0.85, parse("--rows", "0.85").decimal("rows", 1, 0, 1));
        assertEquals(1, parse().decimal("rows", 1, 0, 1));
        for (String bad : List.of("1.5", "-1", "NaN", "x")) {
            assertEquals("Option --rows must be a number from 0.0 to 1.0, not " + bad + ".",
                    refusal(() -> parse("--rows", bad).decimal("rows", 1, 0, 1)));
        }
    }

    @Test
    void exitCodesFollowTheContract(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("outcome");
        String[] args = {"--outcome", file.toString()};
        assertEquals(0, Program.run(args, KNOWN, (options, outcome) -> outcome.put("a\"\n", List.of(1, 2.5))));
        assertEquals("{\"valid\": true, \"a\\\"\\u000a\": [1, 2.5]}\n", Files.readString(file));
        assertEquals(1, Program.run(args, KNOWN, (options, outcome) -> outcome.same("sum", 1, 2)));
        assertEquals("{\"valid\": false, \"reason\": \"sum is 1, expected 2\"}\n", Files.readString(file));
        assertEquals(1, Program.run(args, KNOWN, (options, outcome) -> {
            throw new WrongInput("The file x is wrong.");
        }));
        assertTrue(Files.readString(file).contains("The file x is wrong."));
        assertEquals(2, Program.run(args, KNOWN, (options, outcome) -> options.text("rows")));
        assertEquals(2, Program.run(new String[0], KNOWN, (options, outcome) -> { }));
    }

    private static Options parse(String... args) {
        return Options.parse(args, KNOWN);
    }

    private static String refusal(org.junit.jupiter.api.function.Executable work) {
        return assertThrows(UsageError.class, work).getMessage();
    }
}
