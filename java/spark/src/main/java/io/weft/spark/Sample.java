package io.weft.spark;

import io.weft.core.KeySample;
import io.weft.core.RangeTable;
import io.weft.core.Splits;
import io.weft.core.Store;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;

/** Samples keys and makes ranges of them. */
final class Sample {
    /** So many ranges need at most 1,600 reads, which the driver does sooner than a job of Spark begins; more are the executors'. */
    private static final int FEW = 64;

    private Sample() {
    }

    /** Ranges of about equal size; the same input gives the same ranges. */
    static RangeTable ranges(JavaSparkContext spark, Splits splits, int ranges) throws Exception {
        if (ranges <= FEW) {
            return KeySample.ranges(splits, ranges);
        }
        double blocksPerByte = KeySample.blocksPerByte(splits, ranges);
        Store store = splits.store;
        int tasks = Math.max(1, Math.min(splits.splits.size(), spark.defaultParallelism()));
        List<long[]> samples = spark.parallelize(splits.splits, tasks)
                .map(split -> KeySample.keys(store, split, blocksPerByte)).collect();
        return RangeTable.of(samples.stream().flatMapToLong(java.util.Arrays::stream).toArray(), ranges);
    }
}
