package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
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

    private record Pair(int key, byte[] value) {
    }

    @Test
    void aRightGroupingIsAccepted() throws Exception {
        assertEquals("", grouped(pairs -> { }));
    }

    @Test
    void pairsLostRepeatedChangedOrExchangedAreNamed() throws Exception {
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
}
