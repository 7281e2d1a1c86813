package io.weft.spark;

import io.weft.job.Causes;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;

/** A streaming query, which is awaited and watched. */
final class RunningQuery {
    private static final long POLL_MILLIS = 50;
    private static final long PATIENCE_SECONDS = 120;

    private RunningQuery() {
    }

    /** Returns when it consumes. */
    static StreamingQuery await(StreamingQuery query) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (query.status().message().startsWith("Initializing")) {
            check(query);
            if (System.nanoTime() > end) {
                throw new IllegalStateException("the query is still " + query.status().message() + " after "
                        + PATIENCE_SECONDS + " s");
            }
            Thread.sleep(POLL_MILLIS);
        }
        return query;
    }

    /** Throws the failure that ended it, if it has ended. */
    static void check(StreamingQuery query) {
        if (query.isActive()) {
            return;
        }
        if (query.exception().isDefined()) {
            StreamingQueryException error = query.exception().get();
            throw new IllegalStateException(Causes.innermost(error).toString(), error);
        }
        throw new IllegalStateException("the query ended before its stream");
    }
}
