package io.weft.spark;

import io.weft.core.Phases;
import io.weft.core.ml.MlSpec;
import io.weft.core.ml.Table;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.regression.LabeledPoint;

/** The data of a test of MLlib: phase {@code generate} makes it, phase {@code measured} is the test. */
class MlData {
    final MlSpec spec;
    private final JavaSparkContext spark;
    private final Phases phases;

    MlData(JavaSparkContext spark, MlSpec spec, Phases phases) {
        this.spark = spark;
        this.spec = spec;
        this.phases = phases;
    }

    /** Something for each number below the number of rows, in memory. */
    <T> JavaRDD<T> made(long rows, Function<Long, T> make) throws Exception {
        return several(rows, number -> List.of(make.call(number)));
    }

    /** Several for each number below the number of rows, in memory. */
    <T> JavaRDD<T> several(long rows, Function<Long, List<T>> make) throws Exception {
        int parts = spec.partitions();
        JavaRDD<T> data = cached(spark.parallelize(IntStream.range(0, parts).boxed().toList(), parts)
                .flatMap(part -> LongStream.range(part * rows / parts, (part + 1L) * rows / parts).boxed().iterator())
                .flatMap(number -> make.call(number).iterator()));
        phases.time("generate", data::count);
        return data;
    }

    /** Keeps data in memory. */
    <T> JavaRDD<T> cached(JavaRDD<T> data) {
        return data.cache();
    }

    /** The same data, of which is noted how many elements of each partition were read to its end, and their hashes. */
    <T> Noted<T> noted(JavaRDD<T> data, Noted.Hash<T> hash) {
        return Noted.of(data, hash, spark);
    }

    /** The rows of a table. */
    JavaRDD<Vector> vectors(Table table) throws Exception {
        return made(table.rows(), number -> Vectors.dense(table.row(number)));
    }

    /** Rows whose last number is the label of the others. */
    JavaRDD<LabeledPoint> labelled(long rows, Function<Long, double[]> row) throws Exception {
        return made(rows, number -> {
            double[] all = row.call(number);
            int features = all.length - 1;
            return new LabeledPoint(all[features], Vectors.dense(Arrays.copyOf(all, features)));
        });
    }

    <T> T measured(Callable<T> work) throws Exception {
        return phases.measure("measured", work);
    }
}
