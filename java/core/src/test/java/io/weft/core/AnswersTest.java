package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers against plain collections, and engines that are wrong in one way against the answers. */
class AnswersTest {
    private static final int MAPPERS = 5;
    private static final int PAIRS = 2000;
    private static final int VALUE_BYTES = 16;
    private static final PerfSource.Spec SPEC = new PerfSource.Spec(10_001, 500, 1000, 7, 5);

    private record Pair(int key, byte[] value) {
    }

    @Test
    void aRightGroupingIsAccepted() throws Exception {
        assertEquals("", grouped(pairs -> { }));
    }

    @Test
    void wrongGroupingsAreNamed() throws Exception {
        assertTrue(grouped(pairs -> pairs.remove(77)).contains("pair count is 9999, expected 10000"));
        assertTrue(grouped(pairs -> pairs.add(pairs.get(3))).contains("pair count is 10001"));
        assertTrue(grouped(pairs -> pairs.set(9, pairs.get(8))).contains("checksum"));
        assertTrue(grouped(pairs -> pairs.get(500).value()[3] ^= 1).startsWith("checksum"));
        assertTrue(grouped(pairs -> {
            Pair first = pairs.get(0);
            pairs.set(0, new Pair(first.key(), pairs.get(1).value()));
            pairs.set(1, new Pair(pairs.get(1).key(), first.value()));
        }).startsWith("checksum"), "values that changed their keys");
    }

    @Test
    void aSplitGroupIsSeen() throws Exception {
        PairTally tally = new PairTally();
        for (Pair pair : pairs()) {
            tally.group(pair.key() & 1, List.of(pair.value()));
        }
        Outcome outcome = new Outcome();
        tally.check(answer(), outcome);
        assertTrue(outcome.reason().contains("checksum"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 24, 1000, 100})
    void distinctKeysDoNotDependOnThePasses(int limit) {
        Set<Integer> keys = new HashSet<>();
        pairs().forEach(pair -> keys.add(pair.key()));
        assertEquals(keys.size(), GroupByAnswer.distinct(MAPPERS, PAIRS, 42, limit));
    }

    @Test
    void repeatedKeysAreCountedOnce() {
        assertTrue(GroupByAnswer.distinct(1, 300_000, 1, 1 << 24) < 300_000);
    }

    @Test
    void sumsAndOrderAreThoseOfPlainCollections() {
        assertEquals("", checked(true, records -> { }));
        Map<Integer, Long> sums = new HashMap<>();
        records().forEach(record -> sums.merge(record[0], (long) record[1], Long::sum));
        KeyTally tally = new KeyTally();
        sums.forEach(tally::add);
        Outcome outcome = new Outcome();
        tally.check(PerfAnswer.of(SPEC).summed(), false, outcome);
        assertTrue(outcome.valid(), outcome.reason());
        assertEquals(records().stream().filter(record -> record[0] % 2 == 1).count(), PerfAnswer.of(SPEC).odd());
        assertEquals(10_001, PerfAnswer.of(SPEC).records());
    }

    @Test
    void wrongSumsAndOrdersAreNamed() {
        assertTrue(checked(true, records -> records.remove(5)).startsWith("count is 10000, expected 10001"));
        assertTrue(checked(true, records -> records.set(5, records.get(6))).startsWith("checksum"));
        assertTrue(checked(true, records -> records.get(7)[1]++).startsWith("checksum"));
        assertEquals("the keys are not in order",
                checked(true, records -> records.add(records.remove(0))));
        assertEquals("the keys are not in order", checked(false, records -> { }));
    }

    private static String grouped(Consumer<List<Pair>> fault) throws Exception {
        List<Pair> pairs = pairs();
        fault.accept(pairs);
        Map<Integer, List<byte[]>> groups = new TreeMap<>();
        pairs.forEach(pair -> groups.computeIfAbsent(pair.key(), key -> new ArrayList<>()).add(pair.value()));
        PairTally total = new PairTally();
        groups.forEach((key, values) -> {
            PairTally part = new PairTally();
            part.group(key, values);
            total.add(part);
        });
        Outcome outcome = new Outcome();
        total.check(answer(), outcome);
        return outcome.reason();
    }

    private static GroupByAnswer.Answer answer() throws Exception {
        return GroupByAnswer.compute(MAPPERS, PAIRS, VALUE_BYTES, 42, 2);
    }

    private static List<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        for (int mapper = 0; mapper < MAPPERS; mapper++) {
            PairSource source = new PairSource(42, mapper, VALUE_BYTES);
            for (int i = 0; i < PAIRS; i++) {
                pairs.add(new Pair(source.key(), source.value()));
            }
        }
        return pairs;
    }

    private static List<int[]> records() {
        List<int[]> records = new ArrayList<>();
        for (int partition = 0; partition < SPEC.partitions(); partition++) {
            PerfSource source = new PerfSource(SPEC, partition);
            for (long i = SPEC.records(partition); i > 0; i--) {
                records.add(new int[] {source.key(), source.value()});
            }
        }
        return records;
    }

    /** Sorted records in partitions of 100, in the right or the reverse order of partitions. */
    private static String checked(boolean forward, Consumer<List<int[]>> fault) {
        List<int[]> records = records();
        records.sort((a, b) -> Integer.compare(a[0], b[0]));
        fault.accept(records);
        List<KeyTally> parts = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            if (i % 100 == 0) {
                parts.add(forward ? parts.size() : 0, new KeyTally());
            }
            parts.get(forward ? parts.size() - 1 : 0).add(records.get(i)[0], records.get(i)[1]);
        }
        KeyTally total = new KeyTally();
        parts.forEach(total::add);
        Outcome outcome = new Outcome();
        total.check(PerfAnswer.of(SPEC).all(), true, outcome);
        return outcome.reason();
    }
}
