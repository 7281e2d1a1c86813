package io.weft.spark;

import io.weft.core.PartOutput;
import io.weft.core.Store;
import io.weft.core.TeraRecord;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import scala.Tuple2;

/** The sort of Spark's older interface: {@code sortByKey} on pairs of byte arrays, with Kryo. */
final class KryoSort {
    private KryoSort() {
    }

    /** Settings of a program that sorts so. */
    static SparkConf conf(String name) {
        return new SparkConf().setAppName(name)
                .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    }

    /** Sorts, and gives the rows of each part. */
    static List<Long> sort(JavaRDD<byte[]> records, String output, int partitions) throws IOException {
        Store store = Store.of(output);
        JavaPairRDD<byte[], byte[]> pairs = records.mapToPair(record -> new Tuple2<>(
                Arrays.copyOf(record, TeraRecord.KEY), Arrays.copyOfRange(record, TeraRecord.KEY, record.length)));
        return pairs.sortByKey(new Unsigned(), true, partitions)
                .mapPartitions(rows -> write(store, output, rows)).collect();
    }

    private static Iterator<Long> write(Store store, String output,
            Iterator<Tuple2<byte[], byte[]>> rows) throws IOException {
        byte[] record = new byte[TeraRecord.LENGTH];
        int number = TaskContext.getPartitionId();
        TaskContext context = TaskContext.get();
        try (PartOutput out = Written.part(store, output, number, context)) {
            while (rows.hasNext()) {
                Tuple2<byte[], byte[]> row = rows.next();
                System.arraycopy(row._1(), 0, record, 0, TeraRecord.KEY);
                System.arraycopy(row._2(), 0, record, TeraRecord.KEY, TeraRecord.LENGTH - TeraRecord.KEY);
                out.add(record, 0);
            }
            return List.of(Written.commit(out, context)).iterator();
        }
    }

    /** Keys as unsigned bytes. */
    private static final class Unsigned implements Comparator<byte[]>, Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }
    }
}
