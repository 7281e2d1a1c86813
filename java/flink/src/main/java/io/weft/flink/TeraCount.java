package io.weft.flink;

import io.weft.core.Chunk;
import io.weft.core.KeySample;
import io.weft.core.RangeTable;
import io.weft.core.TeraTally;
import io.weft.job.TeraCountJob;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** TeraCount through Flink's shuffle. */
public final class TeraCount extends TeraCountJob<Session> {
    public static void main(String[] args) {
        main(new TeraCount(), args);
    }

    @Override
    protected Session open() {
        return new Session(partitions());
    }

    @Override
    protected TeraTally tally(Session session) throws Exception {
        RangeTable table = phases.measure("sample", () -> KeySample.ranges(splits(), partitions()));
        session.scattered(splits(), table, partitions())
                .transform("count", Types.VOID, new CountOperator(table, summed())).setParallelism(partitions());
        return phases.measure("count", () -> session.execute("teracount")).getAccumulatorResult("tally");
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
