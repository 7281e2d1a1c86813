package io.weft.spark;

import io.weft.core.Chunk;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.RangeTable;
import io.weft.core.Splits;
import io.weft.core.TeraRecord;
import io.weft.core.TeraTally;
import java.util.Iterator;
import java.util.List;
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
        TeraTally total = new TeraTally();
        try (session) {
            RangeTable table = phases.time("sample", () -> Sample.ranges(session.spark, splits, partitions));
            boolean sum = !checksum.isEmpty();
            phases.time("count", () -> new ScatterRdd(session.spark.sc(), splits, table, partitions).shuffled()
                    .toJavaRDD().mapPartitionsWithIndex((part, chunks) -> tally(table, part, chunks, sum), false)
                    .collect()).forEach(total::add);
        }
        total.check(splits.rows(), checksum, outcome);
        outcome.put("partitions", partitions).put("splits", splits.splits.size()).put("bytes_in", splits.bytes());
        phases.report(outcome, "sample", "count");
        session.report(outcome);
    }

    private static Iterator<TeraTally> tally(RangeTable table, int range, Iterator<Tuple2<Integer, Chunk>> chunks,
            boolean sum) {
        TeraTally tally = new TeraTally();
        while (chunks.hasNext()) {
            tally.count(chunks.next()._2(), table, range, sum);
        }
        tally.end();
        return List.of(tally).iterator();
    }
}
