package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTest {
    private static final String SCHEDULE = """
            a\t0.000\t0.000\t1003\t0\t101
            b\t0.250\t0.250\t0\t8\t0
            c\t1.500\t1.250\t1999\t12345\t7
            """;
    @TempDir
    Path folder;
    private List<TraceLine> lines;
    private TraceWork work;

    @BeforeEach
    void inputs() throws Exception {
        Files.writeString(folder.resolve("schedule.tsv"), SCHEDULE);
        lines = TraceLine.read(folder.resolve("schedule.tsv"), 500, 4000);
        work = new TraceWork(folder.resolve("input").toString(), 3, 800, 5);
        new DfsioGen().call("--output", work.input(), "--to", "3", "--bytes", "800", "--seed", "5");
    }

    @Test
    void aJobHasTasksByItsBytesAndNoReduceTasksWithoutShuffle() {
        assertEquals(List.of(3, 1, 4), lines.stream().map(TraceLine::maps).toList());
        assertEquals(List.of(0, 1, 4), lines.stream().map(TraceLine::reduces).toList());
        assertEquals(List.of(0L, 250L, 1500L), lines.stream().map(TraceLine::atMillis).toList());
        assertEquals(List.of(3, 1, 4), lines.stream().map(TraceLine::parts).toList());
    }

    @Test
    void aJobThatDidItsWorkHasTheBytesOfTheSchedule() throws Exception {
        for (TraceLine line : lines) {
            TraceTally did = did(line);
            did.require(line);
            assertEquals(List.of(line.input(), line.shuffle(), line.output()),
                    List.of(did.read(), did.moved(), did.written()));
        }
        assertEquals(Map.of(), validate().get("wrong"));
    }

    @Test
    void whatIsMissingOrTwiceIsFound() throws Exception {
        TraceLine line = lines.get(2);
        TraceTally did = did(line);
        for (TraceTally wrong : List.of(
                new TraceTally(did.read() - 1, did.moved(), did.records(), did.sum(), did.written()),
                new TraceTally(did.read(), did.moved() + 1, did.records(), did.sum(), did.written()),
                new TraceTally(did.read(), did.moved(), did.records(), did.sum() + 1, did.written()),
                new TraceTally(did.read(), did.moved(), did.records(), did.sum(), 0))) {
            assertThrows(WrongInput.class, () -> wrong.require(line));
        }
        assertThrows(WrongInput.class, () -> work.arrived(line, 3, work.value(line, 4), 92));
    }

    @Test
    void theRecordsBesideOneThatComesThriceAreMissed() throws Exception {
        TraceLine line = lines.get(2);
        TraceTally did = did(line);
        long sum = did.sum() - TraceTally.square(3) - TraceTally.square(5) + 2 * TraceTally.square(4);
        TraceTally wrong = new TraceTally(did.read(), did.moved(), did.records(), sum, did.written());
        assertThrows(WrongInput.class, () -> wrong.require(line));
    }

    @Test
    void aShuffleOfSomeHundredGigabytesIsAddedUp() throws Exception {
        for (long records : new long[] {4_000_000_000L, 4_000_000_001L, 50_000_000_000L}) {
            TraceLine line = new TraceLine(0, "large", 0, 0, records * TraceWork.RECORD, 0, 1, 1);
            BigInteger sum = BigInteger.valueOf(records).multiply(BigInteger.valueOf(records - 1))
                    .multiply(BigInteger.valueOf(2 * records - 1)).divide(BigInteger.valueOf(6));
            new TraceTally(0, line.shuffle(), records, sum.longValue(), 0).require(line);
        }
    }

    @Test
    void aWrongByteOfTheInputFailsTheJobThatReadsIt() throws Exception {
        Path part = folder.resolve("input").resolve(PartFiles.name(1));
        byte[] bytes = Files.readAllBytes(part);
        bytes[400] ^= 1;
        Files.write(part, bytes);
        TraceLine all = new TraceLine(0, "all", 0, 2400, 0, 0, 1, 0);
        assertTrue(assertThrows(WrongInput.class, () -> work.read(all, 0)).getMessage()
                .contains("part-00001 has a wrong byte at offset 400."));
    }

    @Test
    void outputOfAWrongJobIsNamed() throws Exception {
        for (TraceLine line : lines) {
            did(line);
        }
        Files.delete(part(lines.get(1), 0));
        byte[] bytes = Files.readAllBytes(part(lines.get(0), 2));
        bytes[0] ^= 1;
        Files.write(part(lines.get(0), 2), bytes);
        Map<?, ?> wrong = (Map<?, ?>) validate().get("wrong");
        assertEquals(List.of("job 0", "job 1"), List.copyOf(wrong.keySet()));
        assertTrue(wrong.get("job 0").toString().contains("wrong byte at offset 0"), wrong.toString());
    }

    @Test
    void jobsAndSeedsReadElsewhere() {
        assertNotEquals(List.of(work.value(lines.get(2), 0)[0], work.value(lines.get(2), 0)[1]),
                List.of(work.value(lines.get(2), 1)[0], work.value(lines.get(2), 1)[1]));
    }

    @Test
    void aScheduleThatIsNoneIsRefused() throws Exception {
        Files.writeString(folder.resolve("schedule.tsv"), "a\t1\t2\n");
        assertThrows(WrongInput.class, () -> TraceLine.read(folder.resolve("schedule.tsv"), 1, 1));
    }

    /** All tasks of a job. */
    private TraceTally did(TraceLine line) throws IOException {
        TraceTally did = TraceTally.NONE;
        for (int map = 0; map < line.maps(); map++) {
            did = did.plus(work.read(line, map));
            for (long i = TraceWork.firstRecord(line, map); i < TraceWork.firstRecord(line, map + 1); i++) {
                byte[] value = work.value(line, i);
                did = did.plus(work.arrived(line, i, value, value.length));
            }
        }
        for (int part = 0; part < line.parts(); part++) {
            did = did.plus(work.write(line, TraceRun.JOB.directory(output(), line), part, "0"));
        }
        return did;
    }

    private Path part(TraceLine line, int number) {
        return Path.of(TraceRun.JOB.directory(output(), line), PartFiles.name(number));
    }

    private String output() {
        return folder.resolve("output").toString();
    }

    private Outcome validate() throws Exception {
        return new TraceValidate().call("--schedule", folder.resolve("schedule.tsv").toString(), "--input",
                work.input(), "--output", output(), "--files", "3", "--file-bytes", "800", "--map-bytes", "500",
                "--reduce-bytes", "4000", "--seed", "5");
    }
}
