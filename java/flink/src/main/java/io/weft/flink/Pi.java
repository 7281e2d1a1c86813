package io.weft.flink;

import io.weft.core.Halton;
import io.weft.job.PiJob;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;

/** Counts the points of a Halton sequence that lie in a circle; each task has a range of the sequence. */
public final class Pi extends PiJob<Session> {
    public static void main(String[] args) {
        main(new Pi(), args);
    }

    @Override
    protected Session open() {
        return new Session(1);
    }

    @Override
    protected long inside(Session session, long points, int tasks) throws Exception {
        TextStreams.numbers(session, tasks).flatMap(new Count(points, tasks)).returns(Types.VOID)
                .setParallelism(TextStreams.readers(session, tasks)).name("count");
        return session.execute(phases, "count", "pi").<Long>getAccumulatorResult("inside");
    }

    /** Counts in the range of a task. */
    private static final class Count extends RichFlatMapFunction<Long, Void> {
        private static final long serialVersionUID = 1L;

        private final long points;
        private final int tasks;
        private transient LongCounter inside;

        Count(long points, int tasks) {
            this.points = points;
            this.tasks = tasks;
        }

        @Override
        public void open(OpenContext context) {
            inside = new LongCounter();
            getRuntimeContext().addAccumulator("inside", inside);
        }

        @Override
        public void flatMap(Long task, Collector<Void> out) {
            inside.add(Halton.count(Halton.start(points, tasks, task.intValue()),
                    Halton.start(points, tasks, task.intValue() + 1)));
        }
    }
}
