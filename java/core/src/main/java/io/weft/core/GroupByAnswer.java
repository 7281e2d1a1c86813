package io.weft.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The right answer of GroupBy, found from the generator alone: the number of distinct keys by sorting them all, and
 * the sum of the hashes of all pairs.
 */
public final class GroupByAnswer {
    /** Keys sorted at a time, 64 MB; more keys are sorted range by range. */
    private static final int KEYS_AT_ONCE = 1 << 24;
    private static final List<String> KEYS = List.of("mappers", "pairs", "value-bytes", "seed", "threads");

    private GroupByAnswer() {
    }

    /** Groups, pairs, and the sum of the pairs' hashes. */
    public record Answer(long groups, long pairs, long checksum) {
        /** The checksum as hex digits. */
        public String hex() {
            return Long.toHexString(checksum);
        }
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, GroupByAnswer::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int mappers = options.integer("mappers", 2, 1, 1_000_000);
        int pairs = options.integer("pairs", 1000, 0, Integer.MAX_VALUE);
        int valueBytes = options.integer("value-bytes", 1000, 0, 1 << 28);
        int threads = options.integer("threads", Parallel.processors(), 1, 1024);
        long seed = options.number("seed", 0, 0, Long.MAX_VALUE);
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
