package io.weft.flink;

import io.weft.core.Chunk;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.RangeTable;
import io.weft.core.Splits;
import io.weft.core.TeraRecord;
import io.weft.core.TeraTally;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * TeraSort's shuffle without its sort and without output: every record is counted where it arrives, and its key is
 * held against the range of that task. With {@code --checksum} the sum of the CRC32 is compared too.
 */
public final class TeraCount {
    private static final List<String> KEYS =
            List.of("input", "partitions", "split-bytes", "checksum", "executors");

    private TeraCount() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, TeraCount::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 32_768);
        String checksum = options.text("checksum", "");
        Splits splits = new Splits(options.text("input"),
                options.number("split-bytes", TeraSort.SPLIT_BYTES, TeraRecord.LENGTH, 1L << 40));
        Phases phases = new Phases();
        Session session = phases.time("start", Session::new);
        RangeTable table = phases.time("sample", () -> Session.ranges(splits, partitions));
        session.scattered(splits, table, partitions)
                .transform("count", Types.VOID, new CountOperator(table, !checksum.isEmpty()))
                .setParallelism(partitions);
        JobExecutionResult result = phases.time("count", () -> session.execute("teracount"));
        TeraTally total = result.getAccumulatorResult("tally");
        total.check(splits.rows(), checksum, outcome);
        outcome.put("partitions", partitions).put("splits", splits.splits.size()).put("bytes_in", splits.bytes());
        phases.report(outcome, "sample", "count");
    }

    /** Counts what arrives in the range of its task. */
    private static final class CountOperator extends AbstractStreamOperator<Void>
            implements OneInputStreamOperator<Chunk, Void>, BoundedOneInput {
        private static final long serialVersionUID = 1L;

        private final RangeTable table;
        private final boolean checksum;
        private transient TeraTally tally;
        private transient int range;

        CountOperator(RangeTable table, boolean checksum) {
            this.table = table;
            this.checksum = checksum;
        }

        @Override
        public void open() throws Exception {
            super.open();
            tally = new TeraTally();
            range = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        }

        @Override
        public void processElement(StreamRecord<Chunk> element) {
            tally.count(element.getValue(), table, range, checksum);
        }

        @Override
        public void endInput() {
            tally.end();
            Total total = new Total();
            total.add(tally);
            getRuntimeContext().addAccumulator("tally", total);
        }
    }

    /** Tallies of all tasks, added up. */
    public static final class Total implements Accumulator<TeraTally, TeraTally> {
        private static final long serialVersionUID = 1L;

        private TeraTally tally = new TeraTally();

        @Override
        public void add(TeraTally value) {
            tally.add(value);
        }

        @Override
        public TeraTally getLocalValue() {
            return tally;
        }

        @Override
        public void resetLocal() {
            tally = new TeraTally();
        }

        @Override
        public void merge(Accumulator<TeraTally, TeraTally> other) {
            tally.add(other.getLocalValue());
        }

        @Override
        public Accumulator<TeraTally, TeraTally> clone() {
            Total copy = new Total();
            copy.add(tally);
            return copy;
        }
    }
}
