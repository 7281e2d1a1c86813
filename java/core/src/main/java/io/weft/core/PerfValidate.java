package io.weft.core;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;

/**
 * Checks a test of the spark-perf core set without any engine: the generator's records are made again, and what the answer
 * says of them is worked out in plain arrays.
 */
public final class PerfValidate extends AnswerCheck {
    /** The name of the answer's only line. */
    public static final String ONE = "found";
    private static final String PARTITION = "partition ";
    private static final int NUMBERS = 3;

    @Mixin
    private PerfOptions asked;

    public static void main(String[] args) {
        main(new PerfValidate(), args);
    }

    /** The name of the line of a partition. */
    public static String partition(int number) {
        return PARTITION + number;
    }

    @Override
    protected void check(Answer answer, Outcome outcome) throws Exception {
        String test = asked.test();
        switch (test) {
            case "scheduling-throughput" -> one(answer, "sum of the tasks' hashes", tasks(asked.tasks()), outcome);
            case "count" -> one(answer, "count", asked.spec().records(), outcome);
            case "count-with-filter" -> one(answer, "count", new Records(asked.spec()).odd(), outcome);
            case "sort-by-key", "sort-by-key-int" -> sorted(found(answer), new Records(asked.spec()), outcome);
            default -> same(found(answer), new Records(asked.spec()).summed(), outcome);
        }
        outcome.put("test", test);
    }

    private static void one(Answer answer, String what, long right, Outcome outcome) throws WrongInput {
        long found = answer.wholes(ONE, 1)[0];
        outcome.same(what, found, right);
        outcome.put("count", found);
    }

    /** The sum of the hashes of the numbers of tasks, which no other tasks have. */
    static long tasks(int count) {
        long sum = 0;
        for (long task = 0; task < count; task++) {
            sum += Hash64.mix(task);
        }
        return sum;
    }

    /** Count, hash of pairs and hash of keys of each partition. */
    private static List<long[]> found(Answer answer) throws WrongInput {
        List<long[]> partitions = new ArrayList<>();
        while (answer.has(partition(partitions.size()))) {
            partitions.add(answer.wholes(partition(partitions.size()), NUMBERS));
        }
        return partitions;
    }

    private static void same(List<long[]> found, KeyTally right, Outcome outcome) {
        long count = found.stream().mapToLong(partition -> partition[0]).sum();
        long pairs = found.stream().mapToLong(partition -> partition[1]).sum();
        outcome.same("count", count, right.count());
        outcome.same("checksum", Long.toHexString(pairs), Long.toHexString(right.pairs()));
        outcome.put("count", count).put("checksum", Long.toHexString(pairs));
    }

    private static void sorted(List<long[]> found, Records records, Outcome outcome) {
        same(found, records.all(), outcome);
        Records.Keys keys = records.keys();
        for (int number = 0; outcome.valid() && number < found.size(); number++) {
            KeyTally right = new KeyTally();
            for (long left = found.get(number)[0]; left > 0; left--) {
                right.key(keys.next());
            }
            if (right.keys() != found.get(number)[2]) {
                outcome.problem("the keys of partition " + number + " are not those that come next in order");
            }
        }
    }

    /** The records by key. */
    static final class Records {
        private final long[] counts;
        private final long[] sums;
        private final KeyTally all = new KeyTally();

        /** Goes once over all records; takes 16 bytes for each different key. */
        Records(PerfSource.Spec spec) {
            counts = new long[spec.uniqueKeys()];
            sums = new long[spec.uniqueKeys()];
            for (int partition = 0; partition < spec.partitions(); partition++) {
                PerfSource source = new PerfSource(spec, partition);
                for (long left = spec.records(partition); left > 0; left--) {
                    int key = source.key();
                    int value = source.value();
                    counts[key]++;
                    sums[key] += value;
                    all.add(key, value);
                }
            }
        }

        /** What the records hold as they are. */
        KeyTally all() {
            return all;
        }

        /** How many have an odd key. */
        long odd() {
            long odd = 0;
            for (int key = 1; key < counts.length; key += 2) {
                odd += counts[key];
            }
            return odd;
        }

        /** What is left when the values of each key are added up. */
        KeyTally summed() {
            KeyTally tally = new KeyTally();
            for (int key = 0; key < sums.length; key++) {
                if (counts[key] > 0) {
                    tally.add(key, sums[key]);
                }
            }
            return tally;
        }

        /** All keys in order, from the lowest on. */
        Keys keys() {
            return new Keys(counts);
        }

        /** Keys as often as they are there. */
        static final class Keys {
            private final long[] counts;
            private int key;
            private long given;

            Keys(long[] counts) {
                this.counts = counts;
            }

            int next() {
                while (given == counts[key]) {
                    key++;
                    given = 0;
                }
                given++;
                return key;
            }
        }
    }
}
