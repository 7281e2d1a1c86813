package io.weft.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/**
 * The right answer of GroupBy, found from the generator alone: the number of distinct keys by sorting them all, and
 * the sum of the hashes of all pairs.
 */
public final class GroupByAnswer extends Program {
    /** Keys sorted at a time, 64 MB; more keys are sorted range by range. */
    private static final int KEYS_AT_ONCE = 1 << 24;

    @Option(names = "--mappers")
    @Bounds(min = 1, max = 1_000_000)
    private int mappers = 2;

    @Option(names = "--pairs")
    @Bounds(min = 0)
    private int pairs = 1000;

    @Option(names = "--value-bytes")
    @Bounds(min = 0, max = 1 << 28)
    private int valueBytes = 1000;

    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    /** Groups, pairs, and the sum of the pairs' hashes. */
    public record Answer(long groups, long pairs, long checksum) {
        /** The checksum as hex digits. */
        public String hex() {
            return Long.toHexString(checksum);
        }
    }

    public static void main(String[] args) {
        main(new GroupByAnswer(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        Answer answer = compute(mappers, pairs, valueBytes, seed, threads);
        outcome.put("groups", answer.groups()).put("pairs", answer.pairs()).put("checksum", answer.hex());
    }

    /** Computes the answer; memory stays within about 64 MB whatever the number of pairs. */
    public static Answer compute(int mappers, int pairs, int valueBytes, long seed, int threads) throws Exception {
        List<Callable<Long>> sums = new ArrayList<>();
        for (int mapper = 0; mapper < mappers; mapper++) {
            PairSource source = new PairSource(seed, mapper, valueBytes);
            sums.add(() -> sum(source, pairs));
        }
        long checksum = 0;
        for (long sum : Parallel.run(threads, sums)) {
            checksum += sum;
        }
        return new Answer(distinct(mappers, pairs, seed, KEYS_AT_ONCE), (long) mappers * pairs, checksum);
    }

    private static long sum(PairSource source, int pairs) {
        long sum = 0;
        for (int i = 0; i < pairs; i++) {
            sum += Hash64.of(source.key(), source.value());
        }
        return sum;
    }

    /** Counts distinct keys in as many passes over the generator as the limit asks for. */
    static long distinct(int mappers, int pairs, long seed, int limit) {
        long total = (long) mappers * pairs;
        // half filled on average, so that a range with more keys than the mean still fits
        long passes = Math.max(1, total * 2 / limit);
        long width = (1L << 31) / passes + 1;
        long distinct = 0;
        for (long from = 0; from < 1L << 31; from += width) {
            distinct += distinct(mappers, pairs, seed, from, from + width);
        }
        return distinct;
    }

    private static long distinct(int mappers, int pairs, long seed, long from, long to) {
        int[] keys = new int[1024];
        int count = 0;
        for (int mapper = 0; mapper < mappers; mapper++) {
            PairSource source = new PairSource(seed, mapper, 0);
            for (int i = 0; i < pairs; i++) {
                int key = source.key();
                if (key >= from && key < to) {
                    keys = count < keys.length ? keys : Arrays.copyOf(keys, count + (count >> 1));
                    keys[count++] = key;
                }
            }
        }
        Arrays.sort(keys, 0, count);
        int distinct = count == 0 ? 0 : 1;
        for (int i = 1; i < count; i++) {
            distinct += keys[i] == keys[i - 1] ? 0 : 1;
        }
        return distinct;
    }
}
