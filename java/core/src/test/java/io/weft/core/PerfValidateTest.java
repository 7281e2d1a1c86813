package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of spark-perf's core set by plain collections, right and wrong in one way. */
class PerfValidateTest {
    private static final PerfSource.Spec SPEC = new PerfSource.Spec(10_001, 500, 1000, 7, 5);

    @TempDir
    Path folder;

    @Test
    void recordsThatAreSortedAreAcceptedInAnyPartitions() throws Exception {
        assertEquals("", sorted(100, records -> { }));
        assertEquals("", sorted(3333, records -> { }));
    }

    @Test
    void recordsLostRepeatedChangedOrOutOfOrderAreNamed() throws Exception {
        assertTrue(sorted(100, records -> records.remove(5)).startsWith("count is 10000, expected 10001"));
        assertTrue(sorted(100, records -> records.add(records.get(5))).startsWith("count is 10002"));
        assertTrue(sorted(100, records -> records.set(5, records.get(6))).startsWith("checksum"));
        assertTrue(sorted(100, records -> records.get(7)[1]++).startsWith("checksum"));
        assertEquals("the keys of partition 0 are not those that come next in order",
                sorted(100, records -> records.add(records.remove(0))));
        assertEquals("the keys of partition 50 are not those that come next in order", sorted(100, records -> {
            int[] kept = records.get(5000);
            records.set(5000, records.get(5099));
            records.set(5099, kept);
        }), "two records of one partition");
    }

    @Test
    void valuesSwappedBetweenRecordsAreNamed() throws Exception {
        assertTrue(sorted(100, records -> {
            int kept = records.get(0)[1];
            records.get(0)[1] = records.get(9000)[1];
            records.get(9000)[1] = kept;
        }).startsWith("checksum"));
    }

    @Test
    void sumsOfKeysAreAcceptedInAnyOrderAndAWrongSumIsNamed() throws Exception {
        assertEquals("", summed(sums -> { }));
        assertTrue(summed(sums -> sums.remove(7)).startsWith("count is 499, expected 500"));
        assertTrue(summed(sums -> sums.merge(7, 1L, Long::sum)).startsWith("checksum"));
        assertTrue(summed(sums -> {
            sums.merge(7, 1L, Long::sum);
            sums.merge(8, -1L, Long::sum);
        }).startsWith("checksum"), "the sum of all is right");
    }

    @Test
    void countsOfLostRecordsAreNamed() throws Exception {
        long odd = records().stream().filter(record -> record[0] % 2 == 1).count();
        assertEquals("", one("count", 10_001));
        assertEquals("", one("count-with-filter", odd));
        assertEquals("count is 8001, expected 10001", one("count", 8001));
        assertTrue(one("count-with-filter", odd - 1).startsWith("count is"));
    }

    @Test
    void aTaskLostWhileAnotherOneIsRepeatedIsNamed() throws Exception {
        long right = PerfValidate.tasks(100);
        assertEquals("", one("scheduling-throughput", right));
        long lost = right - Hash64.mix(8) + Hash64.mix(3) - Hash64.mix(4) + Hash64.mix(9);
        assertTrue(one("scheduling-throughput", lost).startsWith("sum of the tasks' hashes"));
    }

    private String one(String test, long found) throws Exception {
        return reason(test, new Answer().put(PerfValidate.ONE, found));
    }

    private String summed(Consumer<Map<Integer, Long>> fault) throws Exception {
        Map<Integer, Long> sums = new TreeMap<>();
        records().forEach(record -> sums.merge(record[0], (long) record[1], Long::sum));
        fault.accept(sums);
        Answer answer = new Answer();
        for (int part = 0; part < 3; part++) {
            KeyTally tally = new KeyTally();
            for (Map.Entry<Integer, Long> one : sums.entrySet()) {
                if (one.getKey() % 3 == part) {
                    tally.add(one.getKey(), one.getValue());
                }
            }
            tally.put(PerfValidate.partition(part), answer);
        }
        return reason("aggregate-by-key", answer);
    }

    private String sorted(int size, Consumer<List<int[]>> fault) throws Exception {
        List<int[]> records = records();
        records.sort((a, b) -> Integer.compare(a[0], b[0]));
        fault.accept(records);
        Answer answer = new Answer();
        for (int begin = 0; begin < records.size(); begin += size) {
            KeyTally tally = new KeyTally();
            records.subList(begin, Math.min(records.size(), begin + size)).forEach(one -> tally.add(one[0], one[1]));
            tally.put(PerfValidate.partition(begin / size), answer);
        }
        return reason("sort-by-key", answer);
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

    private String reason(String test, Answer answer) throws Exception {
        answer.write(folder.resolve("answer"));
        return new PerfValidate().call("--answer", folder.resolve("answer").toString(), "--test", test, "--records",
                "10001", "--unique-keys", "500", "--unique-values", "1000", "--partitions", "7", "--tasks", "100")
                .reason();
    }
}
