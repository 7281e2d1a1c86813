package io.weft.flink;

import io.weft.core.Chunk;
import io.weft.core.RangeTable;
import io.weft.core.Scatter;
import io.weft.core.Splits;
import io.weft.core.Store;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/** Reads the split of a number and gives its records in chunks of one range each. */
final class ScatterSplit implements FlatMapFunction<Long, Chunk> {
    private static final long serialVersionUID = 1L;

    private final Store store;
    private final List<Splits.Split> splits;
    private final RangeTable table;
    private final int ranges;

    ScatterSplit(Splits splits, RangeTable table, int ranges) {
        this.store = splits.store;
        this.splits = splits.splits;
        this.table = table;
        this.ranges = ranges;
    }

    @Override
    public void flatMap(Long number, Collector<Chunk> out) throws Exception {
        try (Scatter scatter = new Scatter(store, splits.get(number.intValue()), table, ranges)) {
            for (Chunk chunk = scatter.next(); chunk != null; chunk = scatter.next()) {
                out.collect(chunk);
            }
        }
    }
}
