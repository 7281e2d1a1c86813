package io.weft.spark;

import io.weft.core.Chunk;
import io.weft.core.RangeTable;
import io.weft.core.Scatter;
import io.weft.core.Splits;
import io.weft.core.Store;
import io.weft.core.TeraRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import org.apache.spark.Partition;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag$;
import scala.reflect.ClassTag;

/** The map side: reads splits and gives pairs of range number and chunk of records of that range. */
final class ScatterRdd extends RDD<Tuple2<Integer, Chunk>> {
    private static final long serialVersionUID = 1L;
    static final ClassTag<Integer> INTEGER = ClassTag$.MODULE$.apply(Integer.class);
    static final ClassTag<Chunk> CHUNK = ClassTag$.MODULE$.apply(Chunk.class);

    private final Store store;
    private final transient Splits splits;
    private final RangeTable table;
    private final int ranges;

    ScatterRdd(SparkContext context, Splits splits, RangeTable table, int ranges) {
        super(context, Scala.seq(java.util.List.<org.apache.spark.Dependency<?>>of()),
                ClassTag$.MODULE$.apply(Tuple2.class));
        this.store = splits.store;
        this.splits = splits;
        this.table = table;
        this.ranges = ranges;
    }

    /** The chunks after the shuffle: partition i holds those of range i. */
    RDD<Tuple2<Integer, Chunk>> shuffled() {
        return new ShuffledRDD<Integer, Chunk, Chunk>(this, new Identity(ranges), INTEGER, CHUNK, CHUNK)
                .setSerializer(new ChunkSerializer());
    }

    @Override
    public Partition[] getPartitions() {
        return splits.splits.stream().map(Part::new).toArray(Partition[]::new);
    }

    @Override
    public Seq<String> getPreferredLocations(Partition split) {
        return Scala.seq(((Part) split).split().hosts());
    }

    @Override
    public scala.collection.Iterator<Tuple2<Integer, Chunk>> compute(Partition split, TaskContext context) {
        Splits.Split part = ((Part) split).split();
        Pairs pairs = new Pairs(store, part, table, ranges);
        TaskCompletionListener close = ended -> pairs.close();
        context.addTaskCompletionListener(close);
        context.taskMetrics().inputMetrics().incBytesRead(part.bytes());
        context.taskMetrics().inputMetrics().incRecordsRead(part.bytes() / TeraRecord.LENGTH);
        return pairs;
    }

    /** A split as Spark numbers it. */
    private record Part(Splits.Split split) implements Partition {
        @Override
        public int index() {
            return split.index();
        }
    }

    /** The chunks of a split as Spark's pairs. */
    private static final class Pairs extends AbstractIterator<Tuple2<Integer, Chunk>> {
        private final Scatter scatter;
        private Chunk next;

        Pairs(Store store, Splits.Split split, RangeTable table, int ranges) {
            try {
                scatter = new Scatter(store, split, table, ranges);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        @Override
        public boolean hasNext() {
            if (next == null) {
                try {
                    next = scatter.next();
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
            }
            return next != null;
        }

        @Override
        public Tuple2<Integer, Chunk> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Tuple2<Integer, Chunk> pair = new Tuple2<>(next.range, next);
            next = null;
            return pair;
        }

        void close() {
            try {
                scatter.close();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }

    /** The range number is the partition. */
    private static final class Identity extends Partitioner {
        private static final long serialVersionUID = 1L;
        private final int ranges;

        Identity(int ranges) {
            this.ranges = ranges;
        }

        @Override
        public int numPartitions() {
            return ranges;
        }

        @Override
        public int getPartition(Object range) {
            return (Integer) range;
        }
    }
}
