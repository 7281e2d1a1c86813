package io.weft.spark;

import io.weft.core.TraceLine;
import io.weft.core.TraceTally;
import io.weft.core.TraceWork;
import io.weft.job.TraceJob;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;

/** A trace's jobs as concurrent jobs of one application, which share its slots fairly. */
public final class Trace extends TraceJob<Session> {
    private final AtomicInteger pools = new AtomicInteger();
    private final Queue<String> free = new ConcurrentLinkedQueue<>();
    private final JobStarts starts = new JobStarts();

    public static void main(String[] args) {
        main(new Trace(), args);
    }

    @Override
    protected Session open() throws Exception {
        SparkConf conf = new SparkConf().setAppName("trace").setIfMissing("spark.scheduler.mode", "FAIR")
                .setIfMissing("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
        Session session = new Session(conf, executors());
        session.spark.sc().addSparkListener(starts);
        return session;
    }

    @Override
    protected TraceTally run(Session session, TraceWork work, TraceLine line, String label, String directory) {
        // jobs of one pool wait for each other; Spark keeps every pool, so that they are used again
        String pool = Objects.requireNonNullElseGet(free.poll(), () -> "trace-" + pools.getAndIncrement());
        try {
            session.spark.setLocalProperty("spark.scheduler.pool", pool);
            return run(session, work, line, label, directory, session.spark.sc().longAccumulator());
        } finally {
            free.add(pool);
        }
    }

    private static TraceTally run(Session session, TraceWork work, TraceLine line, String label, String directory,
            LongAccumulator read) {
        session.spark.setJobGroup(label, line.name(), false);
        JavaRDD<Integer> maps =
                session.spark.parallelize(IntStream.range(0, line.maps()).boxed().toList(), line.maps());
        if (line.reduces() == 0) {
            return sum(maps.map(map -> work.read(line, map).plus(write(work, line, directory)).values()));
        }
        JavaRDD<long[]> reduced = maps.flatMapToPair(map -> {
            read.add(work.read(line, map).read());
            return LongStream.range(TraceWork.firstRecord(line, map), TraceWork.firstRecord(line, map + 1))
                    .mapToObj(record -> new Tuple2<>(record, work.value(line, record))).iterator();
        }).partitionBy(new Reduces(line.reduces())).mapPartitions(records -> {
            TraceTally arrived = arrived(work, line, records);
            return List.of(arrived.plus(write(work, line, directory)).values()).iterator();
        });
        return sum(reduced).plus(new TraceTally(read.value(), 0, 0, 0, 0));
    }

    @Override
    protected long startedMillis(Session session, String label) {
        return starts.of(label);
    }

    private static TraceTally sum(JavaRDD<long[]> tallies) {
        return tallies.collect().stream().map(TraceTally::of).reduce(TraceTally.NONE, TraceTally::plus);
    }

    private static TraceTally arrived(TraceWork work, TraceLine line, Iterator<Tuple2<Long, byte[]>> records)
            throws IOException {
        TraceTally found = TraceTally.NONE;
        while (records.hasNext()) {
            Tuple2<Long, byte[]> record = records.next();
            found = found.plus(work.arrived(line, record._1(), record._2(), record._2().length));
        }
        return found;
    }

    private static TraceTally write(TraceWork work, TraceLine line, String directory) throws IOException {
        TaskContext task = TaskContext.get();
        TraceTally written =
                work.write(line, directory, task.partitionId(), Long.toString(task.taskAttemptId()));
        task.taskMetrics().outputMetrics().setBytesWritten(written.written());
        return written;
    }

    /** Sends a record to its reduce task. */
    private static final class Reduces extends Partitioner {
        private static final long serialVersionUID = 1L;
        private final int count;

        Reduces(int count) {
            this.count = count;
        }

        @Override
        public int numPartitions() {
            return count;
        }

        @Override
        public int getPartition(Object record) {
            return TraceWork.reduce((Long) record, count);
        }
    }
}
