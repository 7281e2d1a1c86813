package io.weft.nexmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Outcome;
import io.weft.stream.Step;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events, and the check of the brokers' log, which refuses each mutant. */
class NexmarkTest {
    private static final long EACH = 2000;
    private static final NexmarkSpec SPEC = new NexmarkSpec(2, 7, 0, 0, 0);
    private static final Step STEP = new Step(0, 0, EACH, 5_000_000, 100, NexmarkSpec.BEGIN_MILLIS);
    private static final Step NEXT = new Step(1, EACH, 100, 90_000_000, 10_000, STEP.endMillis() + 60_000);

    @TempDir
    private Path directory;

    private static String[] fields(NexmarkSpec spec, int producer, long record) {
        return new String(spec.record(STEP, producer, record), StandardCharsets.US_ASCII).split(",", -1);
    }

    @Test
    void ofFiftyEventsOneIsAPersonThreeAreAuctionsAndTheOthersBids() {
        Map<String, Integer> kinds = new TreeMap<>();
        Map<String, Integer> bytes = new HashMap<>();
        for (long record = 0; record < EACH; record++) {
            for (int producer = 0; producer < 2; producer++) {
                String kind = fields(SPEC, producer, record)[0];
                kinds.merge(kind, 1, Integer::sum);
                bytes.merge(kind, SPEC.record(STEP, producer, record).length, Integer::sum);
            }
        }
        assertEquals(Map.of("P", 80, "A", 240, "B", 3680), kinds);
        assertEquals(100, bytes.get("B") / 3680.0, 5);
        assertEquals(500, bytes.get("A") / 240.0, 20);
        assertEquals(200, bytes.get("P") / 80.0, 20);
    }

    @Test
    void eventsDoNotDependOnTheNumberOfProducers() {
        NexmarkSpec one = new NexmarkSpec(1, 7, 0, 0, 0);
        for (long number = 0; number < 500; number++) {
            String[] alone = fields(one, 0, number);
            String[] shared = fields(SPEC, (int) (number % 2), number / 2);
            // the rate of one producer is half of that of two
            alone[1] = shared[1];
            if (!alone[0].equals("A")) {
                assertEquals(String.join(",", alone), String.join(",", shared));
            }
        }
        assertTrue(!String.join(",", fields(SPEC, 1, 9)).equals(
                String.join(",", fields(new NexmarkSpec(2, 8, 0, 0, 0), 1, 9))), "another seed gives others");
    }

    @Test
    void idsAreOfAuctionsAndPersonsThatThereAre() {
        for (long record = 0; record < EACH; record++) {
            long number = SPEC.number(1, record);
            String[] line = fields(SPEC, 1, record);
            long persons = 1000 + number / 50;
            if (line[0].equals("B")) {
                long auctions = 1000 + number / 50 * 3 + 2;
                assertTrue(Long.parseLong(line[2]) >= 1000 && Long.parseLong(line[2]) <= auctions, line[2]);
                assertTrue(Long.parseLong(line[3]) >= 1000 && Long.parseLong(line[3]) <= persons, line[3]);
                assertTrue(Long.parseLong(line[4]) >= 100 && Long.parseLong(line[4]) <= 100_000_000, line[4]);
                assertEquals(8, line.length);
            } else if (line[0].equals("A")) {
                assertEquals(1000 + number / 50 * 3 + number % 50 - 1, Long.parseLong(line[2]));
                assertTrue(Long.parseLong(line[8]) >= 1000 && Long.parseLong(line[8]) <= persons, line[8]);
                assertEquals(11, line.length);
            } else {
                assertEquals(persons, Long.parseLong(line[2]));
                assertEquals(9, line.length);
            }
        }
    }

    @Test
    void timesFollowTheScheduleOutOfOrderByUpToWhatWasAskedForAndSomeAreLate() {
        NexmarkSpec spec = new NexmarkSpec(2, 7, 300, 10, 4000);
        int late = 0;
        int before = 0;
        for (long record = 0; record < EACH; record++) {
            long place = STEP.eventMillis(1, 2, record);
            long time = spec.time(STEP, 1, record);
            assertEquals(NexmarkSpec.BEGIN_MILLIS + record * 10 + 5, place);
            if (spec.late(STEP, 1, record)) {
                late++;
                assertTrue(record >= 400, "none is before the step");
                assertTrue(time <= place - 4000 && time >= Math.max(STEP.eventMillis(), place - 4300));
            } else {
                before += time < place ? 1 : 0;
                assertTrue(time <= place && time >= Math.max(STEP.eventMillis(), place - 300));
            }
        }
        assertEquals(160, late, 40);
        assertTrue(before > 1000, "events are out of order: " + before);
    }

    private Outcome check(NexmarkSpec spec, Consumer<List<List<byte[]>>> mutate) throws Exception {
        List<List<byte[]>> partitions = new ArrayList<>();
        for (int producer = 0; producer < 2; producer++) {
            List<byte[]> lines = new ArrayList<>();
            for (long record = 0; record < NEXT.first() + NEXT.each(); record++) {
                lines.add(spec.record(record < NEXT.first() ? STEP : NEXT, producer, record));
            }
            partitions.add(lines);
        }
        mutate.accept(partitions);
        Outcome outcome = new Outcome();
        try (NexmarkFiles files = new NexmarkFiles(directory)) {
            NexmarkLog log = new NexmarkLog(spec, List.of(STEP, NEXT), files, outcome);
            for (int producer = 0; producer < 2; producer++) {
                for (byte[] line : partitions.get(producer)) {
                    log.published(producer, line);
                }
            }
            log.finish();
        }
        return outcome;
    }

    @Test
    void theLogIsRightAndItsEventsAreTables() throws Exception {
        NexmarkSpec spec = new NexmarkSpec(2, 7, 0, 10, 4000);
        Outcome outcome = check(spec, partitions -> { });
        assertEquals("", outcome.reason());
        assertEquals(List.of(4200L, 2100L, NEXT.eventMillis()),
                List.of(outcome.get("events"), outcome.get("each"), outcome.get("horizon")));
        List<String> bids = Files.readAllLines(directory.resolve("bid.csv"));
        assertEquals(4200 * 46 / 50, bids.size());
        assertTrue(bids.stream().anyMatch(line -> line.startsWith("1,")), "late ones are marked");
        assertTrue(bids.stream().allMatch(line -> line.split(",", -1).length == 8));
        assertEquals(4200 * 3 / 50, Files.readAllLines(directory.resolve("auction.csv")).size());
        assertEquals(4200 / 50, Files.readAllLines(directory.resolve("person.csv")).size());
    }

    @Test
    void anEventThatIsLostRepeatedChangedOrOutOfOrderIsNamed() throws Exception {
        Map<String, Consumer<List<byte[]>>> mutants = new HashMap<>();
        mutants.put("event 700 of producer 1 in the brokers' log is ", lines -> lines.remove(700));
        mutants.put("event 701 of producer 1 in the brokers' log is ", lines -> lines.add(700, lines.get(700)));
        mutants.put("event 702 of producer 1 in the brokers' log is ", lines -> Collections.swap(lines, 702, 703));
        mutants.put("event 704 of producer 1 in the brokers' log is ", lines -> lines.get(704)[30]++);
        mutants.put("event 2099 of producer 1 in the brokers' log is missing", lines -> lines.remove(2099));
        mutants.put("event 2100 of producer 1 in the brokers' log was never asked for", lines -> lines.add(lines.get(2099)));
        for (Map.Entry<String, Consumer<List<byte[]>>> mutant : mutants.entrySet()) {
            Outcome outcome = check(SPEC, partitions -> mutant.getValue().accept(partitions.get(1)));
            assertTrue(outcome.reason().startsWith(mutant.getKey()), outcome.reason());
        }
    }
}
