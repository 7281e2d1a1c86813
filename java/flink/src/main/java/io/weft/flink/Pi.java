package io.weft.flink;

import io.weft.core.Halton;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;

/** Counts the points of a Halton sequence that lie in a circle; each task has a range of the sequence. */
public final class Pi {
    private static final List<String> KEYS = List.of("points", "tasks", "executors");

    private Pi() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Pi::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        long points = options.number("points", 1, Halton.MOST);
        int tasks = options.integer("tasks", 8, 1, 1_000_000);
        Phases phases = new Phases();
        Session session = phases.time("start", Session::new);
        TextJob.numbers(session, tasks).flatMap(new Count(points, tasks)).returns(Types.VOID)
                .setParallelism(TextJob.readers(session, tasks)).name("count");
        JobExecutionResult result = phases.time("count", () -> session.execute("pi"));
        long inside = result.<Long>getAccumulatorResult("inside");
        outcome.put("points", points).put("inside", inside).put("pi", 4.0 * inside / points);
        phases.report(outcome, "count");
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
