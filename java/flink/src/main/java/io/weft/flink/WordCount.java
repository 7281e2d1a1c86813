package io.weft.flink;

import io.weft.job.TextJob;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Counts the words of a text. A task counts what it reads in a table of its own, and gives each word once; the shuffle
 * brings a word's counts together. The counts are checked by {@code WordCountValidate}.
 */
public final class WordCount extends TextJob<Session> {
    public static void main(String[] args) {
        main(new WordCount(), args);
    }

    @Override
    protected Session open() {
        return new Session(partitions());
    }

    @Override
    protected long write(Session session) throws Exception {
        TextStreams.counts(session, splits(), "", partitions())
                .transform("write", Types.VOID, new LineOperator<>(output(), TextStreams::line))
                .setParallelism(partitions());
        return session.execute(phases, "count", "wordcount").<Long>getAccumulatorResult("bytes");
    }
}
