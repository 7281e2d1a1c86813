package io.weft.flink;

import io.weft.stream.StreamTotals;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.java.tuple.Tuple2;

/** The totals of one window. */
final class StreamSums implements AggregateFunction<Tuple2<Integer, Long>, StreamTotals, StreamTotals> {
    private static final long serialVersionUID = 1L;
    private final int producers;

    StreamSums(int producers) {
        this.producers = producers;
    }

    @Override
    public StreamTotals createAccumulator() {
        return new StreamTotals(producers);
    }

    @Override
    public StreamTotals add(Tuple2<Integer, Long> number, StreamTotals totals) {
        totals.add(number.f0, number.f1);
        return totals;
    }

    @Override
    public StreamTotals getResult(StreamTotals totals) {
        return totals;
    }

    @Override
    public StreamTotals merge(StreamTotals one, StreamTotals other) {
        return one.merge(other);
    }
}
