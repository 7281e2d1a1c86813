package io.weft.spark;

import io.weft.core.Attempt;
import io.weft.core.LineOutput;
import io.weft.core.LineRanges;
import io.weft.core.Lines;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.Store;
import io.weft.core.TextSplit;
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
public final class Sort {
    private static final List<String> KEYS = Session.keys("input", "output", "partitions", "split-bytes");

    private Sort() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Sort::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        int partitions = options.integer("partitions", 8, 1, 1_000_000);
        String input = options.text("input");
        String output = options.text("output");
        List<TextSplit> splits = TextSplit.of(input, options.number("split-bytes", TextSplit.BYTES, 1, 1L << 40));
        Attempt.requireEmpty(output);
        SparkConf conf = new SparkConf().setAppName("sort")
                .setIfMissing("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
        Phases phases = new Phases();
        Session session = phases.time("start", () -> new Session(conf, options));
        long written;
        try (session) {
            LineRanges ranges = phases.time("sample", () -> LineRanges.sample(input, partitions));
            JavaPairRDD<byte[], Boolean> lines = TextJob.splits(session.spark, splits)
                    .flatMapToPair(split -> new Each(split.lines()));
            written = phases.time("sort", () -> lines
                    .repartitionAndSortWithinPartitions(new ByRange(ranges, partitions), new Unsigned())
                    .mapPartitions(own -> part(own, output)).collect()).stream().mapToLong(Long::longValue).sum();
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        long bytes = TextSplit.bytes(input);
        outcome.same("bytes written", written, bytes);
        outcome.put("partitions", partitions).put("splits", splits.size()).put("bytes_in", bytes)
                .put("bytes_out", written);
        phases.report(outcome, "sample", "sort");
        session.report(outcome);
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
