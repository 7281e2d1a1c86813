package io.weft.spark;

import io.weft.core.PartOutput;
import io.weft.core.Store;
import io.weft.core.TeraRecord;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** The sort that Spark offers: a binary column, {@code repartitionByRange}, then {@code sortWithinPartitions}. */
final class StockSort {
    /** The name that Spark gives to the one column of a data set of bytes. */
    private static final String COLUMN = "value";

    private StockSort() {
    }

    /** Records as Spark reads files of records, in splits of a number of bytes. */
    static JavaRDD<byte[]> read(JavaSparkContext spark, String input, long splitBytes) {
        spark.hadoopConfiguration().setLong(FileInputFormat.SPLIT_MINSIZE, splitBytes);
        spark.hadoopConfiguration().setLong(FileInputFormat.SPLIT_MAXSIZE, splitBytes);
        return spark.binaryRecords(input, TeraRecord.LENGTH);
    }

    /** Sorts whole records, which begin with their keys, or only parts them, and gives the rows of each part. */
    static List<Long> sort(SparkSession sql, JavaRDD<byte[]> records, String output, int partitions, boolean sort)
            throws IOException {
        Store store = Store.of(output);
        Dataset<byte[]> parted = sql.createDataset(records.rdd(), Encoders.BINARY())
                .repartitionByRange(partitions, functions.col(COLUMN));
        return (sort ? parted.sortWithinPartitions(COLUMN) : parted)
                .mapPartitions((MapPartitionsFunction<byte[], Long>) rows -> write(store, output, rows),
                        Encoders.LONG())
                .collectAsList();
    }

    private static Iterator<Long> write(Store store, String output, Iterator<byte[]> rows) throws IOException {
        TaskContext context = TaskContext.get();
        try (PartOutput out = Written.part(store, output, TaskContext.getPartitionId(), context)) {
            while (rows.hasNext()) {
                out.add(rows.next(), 0);
            }
            return List.of(Written.commit(out, context)).iterator();
        }
    }
}
