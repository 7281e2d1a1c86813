package io.weft.spark;

import io.weft.core.RangeTable;
import io.weft.core.TeraRecord;
import org.apache.spark.Partition;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

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
        super(context, CollectionConverters.asScala(java.util.List.<org.apache.spark.Dependency<?>>of()).toSeq(),
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
        return splits.splits.toArray(Partition[]::new);
    }

    @Override
    public Seq<String> getPreferredLocations(Partition split) {
        return CollectionConverters.asScala(((Splits.Split) split).hosts()).toSeq();
    }

    @Override
    public scala.collection.Iterator<Tuple2<Integer, Chunk>> compute(Partition split, TaskContext context) {
        Splits.Split part = (Splits.Split) split;
        Scatter scatter = new Scatter(store, part, table, ranges);
        TaskCompletionListener close = ended -> scatter.close();
        context.addTaskCompletionListener(close);
        context.taskMetrics().inputMetrics().incBytesRead(part.bytes());
        context.taskMetrics().inputMetrics().incRecordsRead(part.bytes() / TeraRecord.LENGTH);
        return scatter;
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
