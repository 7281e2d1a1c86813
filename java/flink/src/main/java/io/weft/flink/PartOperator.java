package io.weft.flink;

import io.weft.core.PartOutput;
import io.weft.core.Store;
import java.io.IOException;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Takes all records of one range, then writes one part; the part gets its name when it is whole. */
abstract class PartOperator<T> extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<T, Void>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    private final String output;

    PartOperator(String output) {
        this.output = output;
    }

    /** A record of this range. */
    abstract void take(T record) throws IOException;

    /** All records were taken: writes what is not written yet. */
    abstract void write(PartOutput out) throws IOException;

    @Override
    public void processElement(StreamRecord<T> element) throws IOException {
        take(element.getValue());
    }

    /** A part under the name of this attempt. */
    PartOutput part() throws IOException {
        String attempt = getContainingTask().getEnvironment().getExecutionId().toString();
        int number = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        return new PartOutput(Store.of(output), output, number, attempt);
    }

    /** Adds to a counter that the client sees at the end. */
    void count(String name, long value) {
        LongCounter counter = new LongCounter();
        getRuntimeContext().addAccumulator(name, counter);
        counter.add(value);
    }

    @Override
    public void endInput() throws Exception {
        try (PartOutput out = part()) {
            write(out);
            count("rows", out.commit());
        }
    }
}
