package io.weft.spark;

import io.weft.core.Halton;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;

/** Counts the points of a Halton sequence that lie in a circle; each task has a range of the sequence. */
public final class Pi {
    private static final List<String> KEYS = Session.keys("points", "tasks");

    private Pi() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Pi::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        long points = options.number("points", 1, Halton.MOST);
        int tasks = options.integer("tasks", 8, 1, 1_000_000);
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(new SparkConf().setAppName("pi"), options));
        long inside;
        try (session) {
            inside = phases.time("count",
                    () -> session.spark.parallelize(IntStream.range(0, tasks).boxed().toList(), tasks)
                            .map(task -> Halton.count(Halton.start(points, tasks, task),
                                    Halton.start(points, tasks, task + 1)))
                            .reduce(Long::sum));
        }
        outcome.put("points", points).put("inside", inside).put("pi", 4.0 * inside / points);
        phases.report(outcome, "count");
        session.report(outcome);
    }
}
