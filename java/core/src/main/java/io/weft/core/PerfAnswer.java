package io.weft.core;

/** The right answers of the spark-perf core set, from the generator alone. */
public final class PerfAnswer {
    private final long[] sums;
    private final boolean[] present;
    private long records;
    private long odd;
    private long checksum;

    private PerfAnswer(int uniqueKeys) {
        sums = new long[uniqueKeys];
        present = new boolean[uniqueKeys];
    }

    /** Goes once over all records; takes 9 bytes for each unique key. */
    public static PerfAnswer of(PerfSource.Spec spec) {
        PerfAnswer answer = new PerfAnswer(spec.uniqueKeys());
        for (int partition = 0; partition < spec.partitions(); partition++) {
            PerfSource source = new PerfSource(spec, partition);
            for (long i = spec.records(partition); i > 0; i--) {
                answer.add(source.key(), source.value());
            }
        }
        return answer;
    }

    private void add(int key, int value) {
        sums[key] += value;
        present[key] = true;
        records++;
        odd += key & 1;
        checksum += Hash64.of(key, value);
    }

    /** The number of records. */
    public long records() {
        return records;
    }

    /** The number of records whose key is odd. */
    public long odd() {
        return odd;
    }

    /** What the records hold as they are. */
    public KeyTally all() {
        return KeyTally.of(records, checksum);
    }

    /** What is left when the values of each key are added up. */
    public KeyTally summed() {
        KeyTally tally = new KeyTally();
        for (int key = 0; key < sums.length; key++) {
            if (present[key]) {
                tally.add(key, sums[key]);
            }
        }
        return tally;
    }
}
