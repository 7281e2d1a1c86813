package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of results as the collector keeps them. */
class NexmarkResultsTest {
    @TempDir
    Path directory;

    @Test
    void aRowThatComesTwiceIsThereTwice() throws Exception {
        try (NexmarkResults results = new NexmarkResults(directory)) {
            results.add(text("q1 7"), text("1,2"));
            results.add(text("q1 7"), text("1,2"));
            results.add(text("q12"), text("3"));
            assertEquals(Map.of("q1", 2L, "q12", 1L), results.counts());
        }
        assertEquals(List.of("1,2", "1,2"), Files.readAllLines(directory.resolve("q1.csv")));
        assertEquals(List.of("3"), Files.readAllLines(directory.resolve("q12.csv")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "q", "7 q1", "q1.csv", "../q1", "q1/../q2 3"})
    void aRowOfNoQueryIsRefused(String key) throws Exception {
        try (NexmarkResults results = new NexmarkResults(directory)) {
            IOException refused = assertThrows(IOException.class, () -> results.add(text(key), text("1")));
            assertTrue(refused.getMessage().endsWith(", which is no query"), refused.getMessage());
            assertEquals(Map.of(), results.counts());
        }
        try (var files = Files.list(directory)) {
            assertFalse(files.findAny().isPresent());
        }
    }

    private static byte[] text(String words) {
        return words.getBytes(StandardCharsets.US_ASCII);
    }
}
