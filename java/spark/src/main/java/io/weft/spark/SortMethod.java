package io.weft.spark;

import io.weft.core.Phases;
import io.weft.core.Splits;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;

/** One way to sort the records of some splits into numbered parts. */
interface SortMethod {
    /** Sorts, and gives the rows of each part; the phases hold the engine's calls. */
    List<Long> sort(JavaSparkContext spark, Splits splits, String output, int partitions, Phases phases)
            throws Exception;
}
