package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.DfsioGen;
import io.weft.core.Outcome;
import io.weft.core.TraceValidate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A small trace by Spark within one process. */
@ExtendWith(LocalSpark.class)
class TraceTest {
    private static final String SCHEDULE = """
            a\t0.000\t0.000\t1003\t0\t101
            b\t0.050\t0.050\t0\t8\t0
            c\t0.050\t0.000\t1999\t12345\t7
            d\t0.200\t0.150\t640\t0\t0
            """;
    @TempDir
    Path folder;

    @Test
    void jobsMoveTheBytesOfTheScheduleAndSomeRunAloneToo() throws Exception {
        inputs();
        List<Map<String, Object>> jobs = jobs(replay());
        for (Map<String, Object> job : jobs) {
            assertEquals("", job.get("failure"), job.toString());
            double submitted = (double) job.get("submitted");
            assertTrue((double) job.get("scheduled") <= submitted + 0.001, job.toString());
            assertTrue(submitted <= (double) job.get("ended"), job.toString());
            assertTrue((double) job.get("started") <= (double) job.get("ended") + 0.01, job.toString());
        }
        assertEquals(List.of(1003L, 0L, 1999L, 640L), jobs.stream().map(job -> job.get("read")).toList());
        assertEquals(List.of(0L, 8L, 12345L, 0L), jobs.stream().map(job -> job.get("moved")).toList());
        assertEquals(List.of(101L, 0L, 7L, 0L), jobs.stream().map(job -> job.get("written")).toList());
        assertEquals(List.of(false, false, true, true), jobs.stream().map(job -> job.containsKey("alone")).toList());
        Outcome found = new TraceValidate().call(words());
        assertEquals(List.of(6, Map.of()), List.of(found.get("checked"), found.get("wrong")));
    }

    @Test
    void aJobThatFailsIsReportedAndTheOthersRun() throws Exception {
        inputs();
        Path part = folder.resolve("input").resolve("part-00001");
        byte[] bytes = Files.readAllBytes(part);
        Arrays.fill(bytes, (byte) 0);
        Files.write(part, bytes);
        List<Map<String, Object>> jobs = jobs(replay());
        List<Boolean> failed = jobs.stream().map(job -> !job.get("failure").equals("")).toList();
        assertEquals(List.of(false), failed.subList(1, 2));
        assertTrue(failed.contains(true), jobs.toString());
        assertTrue(jobs.stream().anyMatch(job -> job.get("failure").toString().contains("wrong byte")), jobs.toString());
        assertTrue(((Map<?, ?>) new TraceValidate().call(words()).get("wrong")).size() >= 1);
    }

    private void inputs() throws Exception {
        Files.writeString(folder.resolve("schedule.tsv"), SCHEDULE);
        new DfsioGen().call("--output", path("input"), "--to", "3", "--bytes", "800", "--seed", "5");
    }

    private Outcome replay() throws Exception {
        List<String> words = new ArrayList<>(List.of(words()));
        words.addAll(List.of("--executors", "0"));
        Outcome outcome = new Trace().call(words.toArray(String[]::new));
        assertEquals("", outcome.reason());
        return outcome;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> jobs(Outcome outcome) {
        return (List<Map<String, Object>>) outcome.get("jobs");
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private String[] words() {
        return new String[] {"--schedule", path("schedule.tsv"), "--input", path("input"), "--output", path("output"),
            "--files", "3", "--file-bytes", "800", "--map-bytes", "500", "--reduce-bytes", "4000", "--seed", "5",
            "--alone", "2,3", "--warm-up", "1,2"};
    }
}
