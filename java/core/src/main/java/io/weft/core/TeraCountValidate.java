package io.weft.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.zip.CRC32;
import picocli.CommandLine.Option;

/**
 * Checks TeraCount without any engine: the partitions are ranges of keys that follow one another, and each has the records
 * that the generator makes for its range, by their number and the sum of their hashes.
 */
public final class TeraCountValidate extends AnswerCheck {
    private static final int ROWS_AT_ONCE = 1 << 20;

    @Option(names = "--rows", required = true)
    @Bounds(min = 0, max = TeraGen.ROWS_PER_SEED)
    private long rows;

    @Option(names = "--seed")
    @Bounds(min = 0, max = TeraGen.MAX_SEED)
    private int seed;

    @Option(names = "--partitions", required = true)
    @Bounds(min = 1, max = 1_000_000)
    private int partitions;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    private int threads = Parallel.processors();

    public static void main(String[] args) {
        main(new TeraCountValidate(), args);
    }

    @Override
    protected void check(Answer answer, Outcome outcome) throws Exception {
        List<TeraTally> found = new ArrayList<>();
        long arrived = 0;
        for (int partition = 0; partition < partitions; partition++) {
            TeraTally tally = TeraTally.of(answer, partition);
            arrived += tally.rows();
            if (tally.rows() > 0) {
                found.add(tally);
            }
        }
        outcome.same("row count", arrived, rows);
        order(found, outcome);
        outcome.put("rows", arrived)
                .put("largest_partition_rows", found.stream().mapToLong(TeraTally::rows).max().orElse(0));
        if (!found.isEmpty()) {
            compare(found, outcome);
        }
    }

    private static void order(List<TeraTally> found, Outcome outcome) {
        for (int at = 1; at < found.size(); at++) {
            TeraTally before = found.get(at - 1);
            TeraTally tally = found.get(at);
            if (Long.compareUnsigned(before.highest(), tally.lowest()) >= 0) {
                outcome.problem("partition " + before.partition() + " has keys up to "
                        + Long.toHexString(before.highest()) + ", partition " + tally.partition() + " from "
                        + Long.toHexString(tally.lowest()) + " on");
                return;
            }
        }
    }

    private void compare(List<TeraTally> found, Outcome outcome) throws Exception {
        long hash = 0;
        List<TeraTally> all = right(found);
        for (int at = 0; at < all.size(); at++) {
            TeraTally right = all.get(at);
            hash += right.hash();
            if (outcome.valid() && !right.text().equals(found.get(at).text())) {
                outcome.problem("partition " + right.partition() + " has " + words(found.get(at)) + ", expected "
                        + words(right));
            }
        }
        outcome.put("checksum", Long.toHexString(hash));
    }

    private static String words(TeraTally tally) {
        return tally.rows() + " records with hash " + Long.toHexString(tally.hash()) + " and keys from "
                + Long.toHexString(tally.lowest()) + " to " + Long.toHexString(tally.highest());
    }

    /** What the generator's records give for ranges that begin where those do. */
    private List<TeraTally> right(List<TeraTally> ranges) throws Exception {
        Progress progress = new Progress(rows);
        List<Callable<List<TeraTally>>> tasks = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            long from = PartRange.start(rows, threads, thread);
            long end = PartRange.start(rows, threads, thread + 1);
            tasks.add(() -> counted(ranges, from, end, progress));
        }
        List<TeraTally> right = empty(ranges);
        for (List<TeraTally> part : Parallel.run(threads, tasks)) {
            for (int at = 0; at < right.size(); at++) {
                right.get(at).add(part.get(at));
            }
        }
        return right;
    }

    private static List<TeraTally> empty(List<TeraTally> ranges) {
        return ranges.stream().map(range -> new TeraTally(range.partition())).toList();
    }

    private List<TeraTally> counted(List<TeraTally> ranges, long from, long end, Progress progress) {
        long[] begins = ranges.stream().mapToLong(range -> range.lowest() ^ Long.MIN_VALUE).toArray();
        List<TeraTally> tallies = empty(ranges);
        TeraRows generator = new TeraRows(seed * TeraGen.ROWS_PER_SEED + from);
        byte[] record = new byte[TeraRecord.LENGTH];
        CRC32 crc = new CRC32();
        for (long row = from; row < end; row++) {
            generator.next(record, 0);
            crc.reset();
            crc.update(record, 0, TeraRecord.LENGTH);
            long prefix = TeraRecord.prefix(record, 0);
            tallies.get(range(begins, prefix ^ Long.MIN_VALUE)).add(prefix, crc.getValue());
            if (row % ROWS_AT_ONCE == ROWS_AT_ONCE - 1) {
                progress.add(ROWS_AT_ONCE);
            }
        }
        return tallies;
    }

    /** The last range that begins at a key or before it; the first one for those below all. */
    private static int range(long[] begins, long key) {
        int low = 0;
        int high = begins.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (begins[middle] <= key) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
