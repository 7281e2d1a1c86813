package io.weft.spark;

import io.weft.core.LineOutput;
import io.weft.core.LineRanges;
import io.weft.core.Lines;
import io.weft.job.SortJob;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import scala.Tuple2;

/**
 * Sorts the lines of a text as unsigned bytes into a total order over numbered parts, by Spark's own sort. The measured
 * seconds hold sampling and sorting; the order is checked by {@code SortValidate}.
 */
public final class Sort extends SortJob<Session> {
    public static void main(String[] args) {
        main(new Sort(), args);
    }

    @Override
    protected Session open() throws Exception {
        return new Session(new SparkConf().setAppName("sort")
                .setIfMissing("spark.serializer", "org.apache.spark.serializer.KryoSerializer"), executors());
    }

    @Override
    protected long write(Session session) throws Exception {
        String output = output();
        LineRanges ranges = phases.measure("sample", () -> LineRanges.sample(input(), partitions()));
        JavaPairRDD<byte[], Boolean> lines = TextRdds.splits(session.spark, splits())
                .flatMapToPair(split -> new Each(split.lines()));
        return phases.measure("sort", () -> lines
                .repartitionAndSortWithinPartitions(new ByRange(ranges, partitions()), new Unsigned())
                .mapPartitions(own -> part(own, output)).collect()).stream().mapToLong(Long::longValue).sum();
    }

    private static Iterator<Long> part(Iterator<Tuple2<byte[], Boolean>> lines, String output) throws IOException {
        TaskContext context = TaskContext.get();
        try (LineOutput out = new LineOutput(output, context.partitionId(), context.taskAttemptId())) {
            while (lines.hasNext()) {
                byte[] line = lines.next()._1();
                out.add(line, 0, line.length);
            }
            return List.of(out.commit()).iterator();
        }
    }

    /** Each line in an array of its own, since the sort keeps them. */
    private static final class Each implements Iterator<Tuple2<byte[], Boolean>> {
        private final Lines lines;
        private byte[] next;

        Each(Lines lines) throws IOException {
            this.lines = lines;
            advance();
        }

        private void advance() throws IOException {
            next = lines.next()
                    ? Arrays.copyOfRange(lines.bytes, lines.offset, lines.offset + lines.length) : null;
            if (next == null) {
                lines.close();
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public Tuple2<byte[], Boolean> next() {
            Tuple2<byte[], Boolean> line = new Tuple2<>(next, true);
            try {
                advance();
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
            return line;
        }
    }

    /** A line goes to the partition of its range. */
    private static final class ByRange extends Partitioner {
        private static final long serialVersionUID = 1L;
        private final LineRanges ranges;
        private final int partitions;

        ByRange(LineRanges ranges, int partitions) {
            this.ranges = ranges;
            this.partitions = partitions;
        }

        @Override
        public int numPartitions() {
            return partitions;
        }

        @Override
        public int getPartition(Object key) {
            byte[] line = (byte[]) key;
            return ranges.range(line, 0, line.length);
        }
    }

    /** Lines as unsigned bytes. */
    private static final class Unsigned implements Comparator<byte[]>, Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }
    }
}
