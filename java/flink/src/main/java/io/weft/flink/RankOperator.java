package io.weft.flink;

import io.weft.core.LineOutput;
import io.weft.core.RankBlock;
import io.weft.core.RankSpec;
import io.weft.core.RankStage;
import java.io.IOException;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** One round of one block: takes all that was sent to it, then sends what the next round needs, or writes the ranks. */
final class RankOperator extends AbstractStreamOperator<Tuple2<Integer, byte[]>>
        implements OneInputStreamOperator<Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    private final RankSpec spec;
    private final int blocks;
    /** Empty but in the last round. */
    private final String directory;
    private transient RankStage stage;

    RankOperator(RankSpec spec, int blocks, String directory) {
        this.spec = spec;
        this.blocks = blocks;
        this.directory = directory;
    }

    @Override
    public void open() throws Exception {
        super.open();
        stage = new RankStage(spec, blocks, block());
    }

    private int block() {
        return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    }

    @Override
    public void processElement(StreamRecord<Tuple2<Integer, byte[]>> element) {
        byte[] bytes = element.getValue().f1;
        stage.take(bytes, bytes.length);
    }

    @Override
    public void endInput() throws IOException {
        RankBlock block = stage.block();
        stage = null;
        if (!directory.isEmpty()) {
            write(block);
            return;
        }
        for (int to = 0; to < blocks; to++) {
            output.collect(new StreamRecord<>(Tuple2.of(to, RankStage.message(block, to))));
        }
        output.collect(new StreamRecord<>(Tuple2.of(block(), RankStage.block(block))));
    }

    private void write(RankBlock block) throws IOException {
        double[] ranks = block.ranks();
        try (LineOutput out = LineOperator.part(this, directory)) {
            for (int i = 0; i < ranks.length; i++) {
                out.add(RankSpec.line(block.first() + i, ranks[i]));
            }
            LongCounter bytes = new LongCounter();
            getRuntimeContext().addAccumulator("bytes", bytes);
            bytes.add(out.commit());
        }
    }
}
