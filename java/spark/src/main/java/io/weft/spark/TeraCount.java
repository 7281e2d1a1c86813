package io.weft.spark;

import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.core.RangeTable;
import io.weft.core.Sum128;
import io.weft.core.TeraRecord;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.zip.CRC32;
import scala.Tuple2;

/**
 * TeraSort's shuffle without its sort and without output: every record is counted where it arrives, and its key is
 * held against the range of that partition. With {@code --checksum} the sum of the CRC32 is compared too.
 */
public final class TeraCount {
    private static final List<String> KEYS = Session.keys("input", "partitions", "split-bytes", "checksum");

    private TeraCount() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, TeraCount::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        String checksum = options.text("checksum", "");
        Splits splits = new Splits(options.text("input"),
                options.number("split-bytes", TeraSort.SPLIT_BYTES, TeraRecord.LENGTH, 1L << 40));
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(TeraSort.conf("count"), options));
        Tally total = new Tally();
        try (session) {
            RangeTable table = phases.time("sample", () -> Sample.ranges(session.spark, splits, partitions));
            boolean sum = !checksum.isEmpty();
            phases.time("count", () -> new ScatterRdd(session.spark.sc(), splits, table, partitions).shuffled()
                    .toJavaRDD().mapPartitionsWithIndex((part, chunks) -> tally(table, part, chunks, sum), false)
                    .collect()).forEach(total::add);
        }
        total.check(splits.rows(), checksum, outcome);
        outcome.put("partitions", partitions).put("splits", splits.splits.size()).put("bytes_in", splits.bytes);
        phases.report(outcome, "sample", "count");
        session.report(outcome);
    }

    private static Iterator<Tally> tally(RangeTable table, int range, Iterator<Tuple2<Integer, Chunk>> chunks,
            boolean sum) {
        Tally tally = new Tally();
        while (chunks.hasNext()) {
            tally.count(chunks.next()._2(), table, range, sum);
        }
        tally.largest = tally.rows;
        return List.of(tally).iterator();
    }

    /** What arrived in a partition, or in all. */
    static final class Tally implements Serializable {
        private static final long serialVersionUID = 1L;
        private final Sum128 sum = new Sum128();
        private long rows;
        private long misplaced;
        private long largest;

        void count(Chunk chunk, RangeTable table, int range, boolean checksum) {
            CRC32 crc = new CRC32();
            for (int at = chunk.offset; at < chunk.offset + chunk.length; at += TeraRecord.LENGTH) {
                rows++;
                misplaced += table.range(TeraRecord.prefix(chunk.bytes, at)) == range ? 0 : 1;
                if (checksum) {
                    crc.reset();
                    crc.update(chunk.bytes, at, TeraRecord.LENGTH);
                    sum.add(crc.getValue());
                }
            }
        }

        void add(Tally other) {
            rows += other.rows;
            misplaced += other.misplaced;
            largest = Math.max(largest, other.largest);
            sum.add(other.sum);
        }

        void check(long expectedRows, String checksum, Outcome outcome) {
            outcome.same("row count", rows, expectedRows);
            outcome.same("number of records in a wrong partition", misplaced, 0L);
            outcome.put("rows", rows).put("misplaced", misplaced).put("largest_partition_rows", largest);
            if (!checksum.isEmpty()) {
                outcome.same("checksum", sum.hex(), checksum);
                outcome.put("checksum", sum.hex());
            }
        }
    }
}
