package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A context that was there before its program, and the event log that begins with the program. */
@ExtendWith(LocalSpark.class)
class ReadyContextTest {
    /** Those of weft's clusters: one file of text. */
    private static final Map<String, String> SETTINGS = Map.of("spark.app.name", "ready", "spark.extraListeners", ReadyEvents.class.getName(),
            "spark.eventLog.rolling.enabled", "false", "spark.eventLog.compress", "false");
    private static final String NAME = "\"App Name\":\"sums\"";

    @TempDir
    private Path logs;

    @BeforeEach
    void aContextIsReady() throws Exception {
        SETTINGS.forEach(System::setProperty);
        ReadyContext.open(0);
        ReadyContext.give(logs.toUri().toString());
    }

    @AfterEach
    void itsSettingsAreNotThoseOfOtherTests() {
        SETTINGS.keySet().forEach(System::clearProperty);
    }

    @Test
    void theLogOfAProgramHasItsOwnJobsFromTheTimeAtWhichItGotTheContext() throws Exception {
        long began = System.currentTimeMillis();
        Outcome outcome = new Outcome();
        try (Session session = new Session(new SparkConf().setAppName("sums"), 0)) {
            assertEquals(3, session.spark.parallelize(List.of(1, 2)).reduce(Integer::sum));
            session.report(outcome);
        }
        ReadyEvents.end();
        List<String> lines = lines();
        assertNull(outcome.get("own_settings"));
        assertEquals(1, count(lines, "SparkListenerJobStart"), "the jobs that load classes are not the program's");
        assertEquals(1, count(lines, "SparkListenerApplicationEnd"));
        String start = lines.stream().filter(line -> line.contains("SparkListenerApplicationStart")).findFirst().orElseThrow();
        assertTrue(start.contains(NAME), start);
        long timestamp = Long.parseLong(start.replaceAll(".*\"Timestamp\":(\\d+).*", "$1"));
        assertTrue(timestamp >= began, start);
        assertTrue(count(lines, "SparkListenerEnvironmentUpdate") == 1 && count(lines, "SparkListenerBlockManagerAdded") == 1);
    }

    @Test
    void aProgramWithSettingsOfItsOwnGetsAContextWithThem() throws Exception {
        Outcome outcome = new Outcome();
        try (Session session = new Session(new SparkConf().setAppName("sums").set("spark.shuffle.compress", "false"), 0)) {
            assertFalse(session.spark.getConf().getBoolean("spark.shuffle.compress", true));
            assertEquals(3, session.spark.parallelize(List.of(1, 2)).reduce(Integer::sum));
            session.report(outcome);
        }
        assertEquals("spark.shuffle.compress", outcome.get("own_settings"));
        assertEquals(1, count(lines(), "SparkListenerJobStart"));
    }

    private List<String> lines() throws IOException {
        try (Stream<Path> files = Files.walk(logs)) {
            List<Path> found = files.filter(Files::isRegularFile).toList();
            assertEquals(1, found.size(), found.toString());
            assertFalse(found.get(0).toString().endsWith(".inprogress"));
            return Files.readAllLines(found.get(0));
        }
    }

    private static long count(List<String> lines, String event) {
        return lines.stream().filter(line -> line.contains("\"" + event + "\"")).count();
    }
}
