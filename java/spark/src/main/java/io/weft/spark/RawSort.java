package io.weft.spark;

import io.weft.core.Chunk;
import io.weft.core.Merge;
import io.weft.core.PartOutput;
import io.weft.core.Phases;
import io.weft.core.RangeTable;
import io.weft.core.SortedRun;
import io.weft.core.Splits;
import io.weft.core.Store;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;

/** Sorts raw records: chunks of bytes through the shuffle, blocks of bytes through the sort. */
final class RawSort implements SortMethod {
    @Override
    public List<Long> sort(JavaSparkContext spark, Splits splits, String output, int partitions,
            Phases phases) throws Exception {
        RangeTable table = phases.time("sample", () -> Sample.ranges(spark, splits, partitions));
        Store store = Store.of(output);
        return phases.time("sort", () -> new ScatterRdd(spark.sc(), splits, table, partitions).shuffled().toJavaRDD()
                .mapPartitionsWithIndex((part, chunks) -> write(store, output, part, chunks), false).collect());
    }

    private static Iterator<Long> write(Store store, String output, int number,
            Iterator<Tuple2<Integer, Chunk>> chunks) throws IOException {
        TaskContext context = TaskContext.get();
        SpillingSorter sorter = new SpillingSorter(
                context.taskMemoryManager(), SpillSpace.ofExecutor(context.taskMetrics()));
        TaskCompletionListener close = ended -> sorter.close();
        context.addTaskCompletionListener(close);
        while (chunks.hasNext()) {
            sorter.add(chunks.next()._2());
        }
        Merge merge = sorter.sorted();
        try (PartOutput out = Written.part(store, output, number, context)) {
            for (SortedRun run = merge.next(); run != null; run = merge.next()) {
                out.add(run.bytes(), run.offset());
            }
            return List.of(Written.commit(out, context)).iterator();
        }
    }
}
