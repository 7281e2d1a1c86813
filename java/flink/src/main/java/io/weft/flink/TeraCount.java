package io.weft.flink;

import io.weft.core.Chunk;
import io.weft.core.KeySample;
import io.weft.core.RangeTable;
import io.weft.core.TeraTally;
import io.weft.job.TeraCountJob;
import java.util.List;
import org.apache.flink.api.common.accumulators.ListAccumulator;
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
    protected List<TeraTally> tally(Session session) throws Exception {
        RangeTable table = phases.measure("sample", () -> KeySample.ranges(splits(), partitions()));
        session.scattered(splits(), table, partitions()).transform("count", Types.VOID, new CountOperator())
                .setParallelism(partitions());
        return session.execute(phases, "count", "teracount").getAccumulatorResult("tallies");
    }

    /** Counts what arrives in the range of its task. */
    private static final class CountOperator extends AbstractStreamOperator<Void>
            implements OneInputStreamOperator<Chunk, Void>, BoundedOneInput {
        private static final long serialVersionUID = 1L;

        private transient TeraTally tally;

        @Override
        public void open() throws Exception {
            super.open();
            tally = new TeraTally(getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
        }

        @Override
        public void processElement(StreamRecord<Chunk> element) {
            tally.count(element.getValue());
        }

        @Override
        public void endInput() {
            ListAccumulator<TeraTally> tallies = new ListAccumulator<>();
            tallies.add(tally);
            getRuntimeContext().addAccumulator("tallies", tallies);
        }
    }
}
