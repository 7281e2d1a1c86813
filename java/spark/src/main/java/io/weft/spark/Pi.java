package io.weft.spark;

import io.weft.core.Halton;
import io.weft.job.PiJob;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;

/** Counts the points of a Halton sequence that lie in a circle; each task has a range of the sequence. */
public final class Pi extends PiJob<Session> {
    public static void main(String[] args) {
        main(new Pi(), args);
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("pi"), executors());
    }

    @Override
    protected long inside(Session session, long points, int tasks) throws Exception {
        return phases.measure("count",
                () -> session.spark.parallelize(IntStream.range(0, tasks).boxed().toList(), tasks)
                        .map(task -> Halton.count(Halton.start(points, tasks, task),
                                Halton.start(points, tasks, task + 1)))
                        .reduce(Long::sum));
    }
}
