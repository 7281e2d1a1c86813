package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An answer is read as it was written, whole, or is refused. */
class AnswerTest {
    @TempDir
    Path folder;

    @Test
    void numbersAreReadAsTheyWereWritten() throws Exception {
        double[] numbers = {0.1, -0.0, 1e-300, Double.MAX_VALUE, Double.NaN, 1.0 / 3};
        Answer answer = read(new Answer().putNumbers("some", numbers).put("whole", Long.MIN_VALUE, 7)
                .putRows("row", new double[][] {{1}, {2, 3}}).put("none").put("1 2", "a"));
        assertArrayEquals(numbers, answer.numbers("some"));
        assertArrayEquals(new long[] {Long.MIN_VALUE, 7}, answer.wholes("whole", 2));
        assertArrayEquals(new double[] {2, 3}, answer.rows("row")[1]);
        assertEquals(List.of(), answer.words("none"));
        assertEquals(List.of("1 2"), answer.names());
    }

    @Test
    void anAnswerThatIsCutOffRepeatedOrNotThereIsRefused() throws Exception {
        Path file = folder.resolve("answer");
        assertRefused(file, "left no answer");
        Files.writeString(file, "");
        assertRefused(file, "is cut off");
        new Answer().put("a", 1).put("b", 2).write(file);
        String whole = Files.readString(file);
        Files.writeString(file, whole.substring(0, whole.indexOf('b')));
        assertRefused(file, "is cut off");
        new Answer().put("a", 1).put("a", 1).write(file);
        assertRefused(file, "two lines a");
    }

    private static void assertRefused(Path file, String reason) {
        WrongInput refused = assertThrows(WrongInput.class, () -> Answer.read(file));
        assertTrue(refused.getMessage().contains(reason), refused.getMessage());
    }

    @Test
    void aLineThatIsMissingOrOfOtherWordsIsNamed() throws Exception {
        Answer answer = read(new Answer().put("a", "x").put("b", 1.5).put("c", 1, 2));
        for (String[] line : new String[][] {{"z", "has no line z"}, {"a", "not of whole numbers"},
            {"b", "not of whole numbers"}, {"c", "has 2 numbers, expected 1"}}) {
            WrongInput wrong = assertThrows(WrongInput.class, () -> answer.wholes(line[0], 1));
            assertTrue(wrong.getMessage().contains(line[1]), wrong.getMessage());
        }
    }

    @Test
    void aLineThatNobodyAskedForIsTooMuch() throws Exception {
        new Answer().put("a", 1).put("b", 2).write(folder.resolve("answer"));
        AnswerCheck check = new AnswerCheck() {
            @Override
            protected void check(Answer answer, Outcome outcome) throws Exception {
                answer.words("a");
            }
        };
        assertEquals("the answer has 1 lines that no right answer has, such as b",
                check.call("--answer", folder.resolve("answer").toString()).reason());
    }

    private Answer read(Answer answer) throws Exception {
        answer.write(folder.resolve("answer"));
        return Answer.read(folder.resolve("answer"));
    }
}
