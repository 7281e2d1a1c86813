package io.weft.spark;

import io.weft.core.DfsioFile;
import io.weft.core.DfsioTiming;
import io.weft.core.Store;
import io.weft.job.DfsioJob;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;

/** TestDFSIO by Spark's tasks. */
public final class Dfsio extends DfsioJob<Session> {
    public static void main(String[] args) {
        main(new Dfsio(), args);
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("dfsio-" + word()), executors());
    }

    @Override
    protected List<DfsioTiming> timings(Session session) throws Exception {
        DfsioFile.Operation operation = files().operation();
        String directory = files().directory();
        long seed = files().seed();
        long bytes = files().bytes();
        int buffer = files().buffer();
        List<Integer> numbers = IntStream.range(0, files().count()).boxed().toList();
        return phases.measure(word(), () -> session.spark.parallelize(numbers, files().tasks())
                .map(number -> DfsioFile.of(directory, number, seed, bytes, buffer)
                        .measure(operation, Store.of(directory)))
                .collect());
    }
}
