package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Option;

class ProgramTest {
    @TempDir
    Path folder;

    @Test
    void readsNumbersWordsAndDefaults() throws Exception {
        Outcome found = new Sample().call("--rows", "12", "--order", "none", "--pattern", "@x -y");
        assertEquals(List.of(12L, 3, "NONE", "@x -y", 0.5), found.get("options"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--row 1         | did you mean --rows?",
        "rows 1          | rows",
        "--rows          | --rows",
        "--rows 1 --rows 2 | only once",
        "--rows 1e3      | '1e3' is not a long",
        "--rows 10       | Option --rows must be from 0 to 9, not 10.",
        "--rows -1       | Option --rows must be from 0 to 9, not -1.",
        "--rows 1 --order x | expected one of [KEY, NONE] (case-insensitive) but was 'x'",
        "--parts 1       | Missing required option: '--rows=<rows>'",
    })
    void refusesWhatItCannotObey(String line, String reason) {
        String message = assertThrows(UsageError.class, () -> new Bounded().call(line.split(" "))).getMessage();
        assertTrue(message.contains(reason), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.5", "-1", "NaN"})
    void decimalsHaveBounds(String bad) {
        assertEquals("Option --damping must be from 0 to 1, not " + Double.valueOf(bad) + ".", assertThrows(
                UsageError.class, () -> new Sample().call("--rows", "1", "--damping", bad)).getMessage());
    }

    @Test
    void exitCodesFollowTheContract() throws Exception {
        assertEquals(0, execute(outcome -> outcome.put("a\"\n", List.of(1, 2.5))));
        assertEquals("{\"valid\": true, \"a\\\"\\u000a\": [1, 2.5]}\n", written());
        assertEquals(1, execute(outcome -> outcome.same("sum", 1, 2)));
        assertEquals("{\"valid\": false, \"reason\": \"sum is 1, expected 2\"}\n", written());
        assertEquals(1, execute(outcome -> {
            throw new WrongInput("The file x is wrong.");
        }));
        assertTrue(written().contains("The file x is wrong."));
        assertEquals(2, execute(outcome -> {
            throw new UsageError("no");
        }));
        assertEquals(2, new Sample().execute("--rows", "1"));
    }

    @Test
    void aFigureThatNoJsonHasLeavesTheProblem() throws Exception {
        assertEquals(1, execute(outcome -> {
            outcome.put("sum", Double.POSITIVE_INFINITY);
            outcome.problem("rank of 3 differs");
        }));
        assertEquals("{\"valid\": false, \"reason\": \"rank of 3 differs\"}\n", written());
        assertEquals(1, execute(outcome -> outcome.put("sum", Double.NaN)));
        assertTrue(written().contains("a figure cannot be written"), written());
    }

    private int execute(Work work) {
        return new Program() {
            @Override
            public void run(Outcome outcome) throws Exception {
                work.run(outcome);
            }
        }.execute("--outcome", folder.resolve("outcome").toString());
    }

    private String written() throws IOException {
        return Files.readString(folder.resolve("outcome"));
    }

    /** What a program does. */
    private interface Work {
        void run(Outcome outcome) throws Exception;
    }

    /** A program with an option of each kind. */
    private static class Sample extends Program {
        @Option(names = "--rows", required = true)
        private long rows;

        @Option(names = "--parts")
        private int parts = 3;

        @Option(names = "--order")
        private TeraValidate.Order order = TeraValidate.Order.KEY;

        @Option(names = "--pattern")
        private String pattern = "";

        @Option(names = "--damping")
        @Bounds(min = 0, max = 1)
        private double damping = 0.5;

        @Override
        public void run(Outcome outcome) {
            outcome.put("options", List.of(rows, parts, order.name(), pattern, damping));
        }
    }

    /** A program whose numbers have bounds. */
    private static final class Bounded extends Program {
        @Option(names = "--rows", required = true)
        @Bounds(min = 0, max = 9)
        private long rows;

        @Option(names = "--parts")
        private int parts;

        @Option(names = "--order")
        private TeraValidate.Order order = TeraValidate.Order.KEY;

        @Override
        public void run(Outcome outcome) {
            outcome.put("rows", rows).put("parts", parts).put("order", order);
        }
    }
}
