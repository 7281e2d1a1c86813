package io.weft.flink;

import io.weft.stream.StreamTotals;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** The totals after each record. */
final class StreamRunning extends KeyedProcessFunction<Integer, Tuple2<Integer, Long>, byte[]> {
    private static final long serialVersionUID = 1L;
    private final int producers;
    private transient ValueState<StreamTotals> totals;

    StreamRunning(int producers) {
        this.producers = producers;
    }

    @Override
    public void open(OpenContext context) {
        totals = getRuntimeContext().getState(state());
        Restarts.note(getRuntimeContext());
    }

    static ValueStateDescriptor<StreamTotals> state() {
        return new ValueStateDescriptor<>("totals", Types.POJO(StreamTotals.class));
    }

    @Override
    public void processElement(Tuple2<Integer, Long> number, Context context, Collector<byte[]> out)
            throws Exception {
        StreamTotals all = totals.value() == null ? new StreamTotals(producers) : totals.value();
        all.add(number.f0, number.f1);
        totals.update(all);
        out.collect(all.line().getBytes(StandardCharsets.US_ASCII));
    }
}
