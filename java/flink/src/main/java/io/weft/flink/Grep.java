package io.weft.flink;

import io.weft.job.GrepJob;
import java.util.Locale;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * Counts the strings that match a regular expression, as Hadoop's example does, and writes the counts in falling order
 * into one part. Checked by {@code GrepValidate}.
 */
public final class Grep extends GrepJob<Session> {
    public static void main(String[] args) {
        main(new Grep(), args);
    }

    @Override
    protected Session open() {
        return new Session(partitions());
    }

    @Override
    protected long write(Session session) throws Exception {
        TextStreams.counts(session, splits(), pattern(), partitions()).global()
                .map(counted -> counted).returns(Types.TUPLE(Types.STRING, Types.LONG)).setParallelism(1)
                .fullWindowPartition().sortPartition(new Falling(), Order.ASCENDING).setParallelism(1)
                .transform("write", Types.VOID, new LineOperator<>(output(), TextStreams::line)).setParallelism(1);
        return session.execute(phases, "search", "grep").<Long>getAccumulatorResult("bytes");
    }

    /**
     * The greater count first, and of equals the lesser string; one text, since of a tuple only its first field counts.
     */
    private static final class Falling implements KeySelector<Tuple2<String, Long>, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String getKey(Tuple2<String, Long> counted) {
            return String.format(Locale.ROOT, "%019d%s", Long.MAX_VALUE - counted.f1, counted.f0);
        }
    }
}
