package io.weft.spark;

import io.weft.core.Phases;
import io.weft.core.ml.Planted;
import io.weft.core.ml.Seeded;
import io.weft.core.ml.Table;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.regression.LabeledPoint;

/** The data of a test of MLlib: phase {@code generate} makes it, phase {@code measured} is the test. */
final class MlData {
    final Sizes sizes;
    private final JavaSparkContext spark;
    private final Phases phases;

    /** What a test is asked to do. */
    record Sizes(int rows, int columns, int rank, int block, double support, int longest, int partitions, long seed) {
    }

    MlData(JavaSparkContext spark, Sizes sizes, Phases phases) {
        this.spark = spark;
        this.sizes = sizes;
        this.phases = phases;
    }

    Seeded seeded() {
        return new Seeded(sizes.seed());
    }

    Table mixed() {
        return Table.mixed(sizes.seed(), sizes.rows(), sizes.columns());
    }

    Table categories() {
        return Table.categories(sizes.seed(), sizes.rows(), sizes.columns());
    }

    Planted planted(Planted.What what) {
        return new Planted(seeded(), sizes.rows(), sizes.columns(), what);
    }

    /** Something for each number below the number of rows, in memory. */
    <T> JavaRDD<T> made(long rows, Function<Long, T> make) throws Exception {
        return several(rows, number -> List.of(make.call(number)));
    }

    /** Several for each number below the number of rows, in memory. */
    <T> JavaRDD<T> several(long rows, Function<Long, List<T>> make) throws Exception {
        int parts = sizes.partitions();
        JavaRDD<T> data = spark.parallelize(java.util.stream.IntStream.range(0, parts).boxed().toList(), parts)
                .flatMap(part -> LongStream.range(part * rows / parts, (part + 1L) * rows / parts).boxed().iterator())
                .flatMap(number -> make.call(number).iterator()).cache();
        phases.time("generate", data::count);
        return data;
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
