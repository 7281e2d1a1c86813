package io.weft.flink;

import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceEnumerator;

/** The numbers of the splits of an input, each handed out alone to the reader that asks next. */
final class SplitSource extends NumberSequenceSource {
    private static final long serialVersionUID = 1L;

    private final int splits;

    SplitSource(int splits) {
        super(0, splits - 1L);
        this.splits = splits;
    }

    @Override
    public SplitEnumerator<NumberSequenceSplit, Collection<NumberSequenceSplit>> createEnumerator(
            SplitEnumeratorContext<NumberSequenceSplit> context) {
        List<NumberSequenceSplit> numbers = splitNumberRange(getFrom(), getTo(), splits);
        return new IteratorSourceEnumerator<>(context, numbers);
    }
}
