package io.weft.spark;

import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;

/** One way to sort the records of some splits into numbered parts. */
interface SortMethod {
    /** Sorts; the phases hold the engine's calls. */
    List<PartOutput.Part> sort(JavaSparkContext spark, Splits splits, String output, int partitions, Phases phases)
            throws Exception;
}
