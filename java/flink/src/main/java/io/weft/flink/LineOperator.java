package io.weft.flink;

import io.weft.core.LineOutput;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Writes what comes as the lines of one part; the part gets its name when it is whole. */
final class LineOperator<T> extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<T, Void>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    private final String output;
    private final Form<T> form;
    private transient LineOutput out;

    /** Gives the line of an element. */
    @FunctionalInterface
    interface Form<T> extends Serializable {
        String line(T element);
    }

    LineOperator(String output, Form<T> form) {
        this.output = output;
        this.form = form;
    }

    @Override
    public void open() throws Exception {
        super.open();
        out = part(this, output);
    }

    /** The part of the task of an operator, under the name of this attempt. */
    static LineOutput part(AbstractStreamOperator<?> operator, String output) throws IOException {
        return new LineOutput(output, operator.getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                operator.getContainingTask().getEnvironment().getExecutionId().toString());
    }

    @Override
    public void processElement(StreamRecord<T> element) throws IOException {
        out.add(form.line(element.getValue()));
    }

    @Override
    public void endInput() throws IOException {
        LongCounter bytes = new LongCounter();
        getRuntimeContext().addAccumulator("bytes", bytes);
        bytes.add(out.commit());
    }

    @Override
    public void close() throws Exception {
        if (out != null) {
            out.close();
        }
        super.close();
    }
}
