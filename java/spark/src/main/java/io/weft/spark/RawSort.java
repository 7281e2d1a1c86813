package io.weft.spark;

import io.weft.core.Chunk;
import io.weft.core.Merge;
import io.weft.core.PartOutput;
import io.weft.core.Phases;
import io.weft.core.RangeTable;
import io.weft.core.Splits;
import io.weft.core.Store;
import io.weft.core.TeraRecord;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;

/** weft's own sort: chunks of bytes through Spark's shuffle, then blocks of bytes: the limit of its data path. */
final class RawSort {
    private RawSort() {
    }

    /** Settings of a program that scatters chunks. */
    static SparkConf conf(String name) {
        // without a file for each range of each map task, however few the ranges are
        return new SparkConf().setAppName(name).setIfMissing("spark.shuffle.sort.bypassMergeThreshold", "0")
                // a quarter of the tasks' CPU time with LZ4, for half of the bytes; a slow link or disk may be worth it
                .setIfMissing("spark.shuffle.compress", "false")
                .setIfMissing("spark.shuffle.spill.compress", "false")
                // CPUs have an instruction for it, and none for Spark's Adler-32
                .setIfMissing("spark.shuffle.checksum.algorithm", "CRC32C")
                // records are gathered from all over the heap: with small pages a CPU translates most of the addresses again
                .setIfMissing("spark.executor.defaultJavaOptions", "-XX:+UseTransparentHugePages");
    }

    /** Sorts, or only parts, and gives the rows of each part. */
    static List<Long> sort(JavaSparkContext spark, Splits splits, String output, int partitions, boolean sort,
            Phases phases) throws Exception {
        RangeTable table = phases.measure("sample", () -> Sample.ranges(spark, splits, partitions));
        Store store = Store.of(output);
        return phases.measure("sort", () -> new ScatterRdd(spark.sc(), splits, table, partitions).shuffled().toJavaRDD()
                .mapPartitionsWithIndex((part, chunks) -> sort ? write(store, output, part, chunks)
                        : writeAsTheyCome(store, output, part, chunks), false).collect());
    }

    private static Iterator<Long> writeAsTheyCome(Store store, String output, int number,
            Iterator<Tuple2<Integer, Chunk>> chunks) throws IOException {
        TaskContext context = TaskContext.get();
        try (PartOutput out = Written.part(store, output, number, context)) {
            while (chunks.hasNext()) {
                Chunk chunk = chunks.next()._2();
                for (int at = 0; at < chunk.length; at += TeraRecord.LENGTH) {
                    out.add(chunk.bytes, chunk.offset + at);
                }
            }
            return List.of(Written.commit(out, context)).iterator();
        }
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
            out.add(merge);
            return List.of(Written.commit(out, context)).iterator();
        }
    }
}
