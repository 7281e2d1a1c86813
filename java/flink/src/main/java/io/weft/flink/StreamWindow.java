package io.weft.flink;

import io.weft.stream.StreamTotals;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** The totals of all windows so far, after each window. */
final class StreamWindow extends ProcessAllWindowFunction<StreamTotals, byte[], TimeWindow> {
    private static final long serialVersionUID = 1L;
    private final int producers;

    StreamWindow(int producers) {
        this.producers = producers;
    }

    @Override
    public void open(OpenContext context) {
        Restarts.note(getRuntimeContext());
    }

    @Override
    public void process(Context context, Iterable<StreamTotals> window, Collector<byte[]> out) throws Exception {
        ValueState<StreamTotals> state = context.globalState().getState(StreamRunning.state());
        StreamTotals all = state.value() == null ? new StreamTotals(producers) : state.value();
        window.forEach(all::merge);
        state.update(all);
        out.collect(all.line().getBytes(StandardCharsets.US_ASCII));
    }
}
