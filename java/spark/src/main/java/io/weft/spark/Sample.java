package io.weft.spark;

import io.weft.core.KeySample;
import io.weft.core.RangeTable;
import io.weft.core.Splits;
import io.weft.core.Store;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;

/** Samples keys on the executors and makes ranges of them. */
final class Sample {
    private Sample() {
    }

    /** Ranges of about equal size; the same input gives the same ranges. */
    static RangeTable ranges(JavaSparkContext spark, Splits splits, int ranges) {
        double blocksPerByte = KeySample.blocksPerByte(splits, ranges);
        Store store = splits.store;
        int tasks = Math.max(1, Math.min(splits.splits.size(), spark.defaultParallelism()));
        List<long[]> samples = spark.parallelize(splits.splits, tasks)
                .map(split -> KeySample.keys(store, split, blocksPerByte)).collect();
        return RangeTable.of(samples.stream().flatMapToLong(java.util.Arrays::stream).toArray(), ranges);
    }
}
