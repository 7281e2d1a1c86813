package io.weft.flink;

import io.weft.core.Outcome;
import io.weft.job.EngineSession;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A streaming job on the cluster that the command line's configuration names. */
final class StreamSession implements EngineSession {
    final StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();

    StreamSession() {
        flink.setRuntimeMode(RuntimeExecutionMode.STREAMING);
        flink.getConfig().enableObjectReuse();
    }

    @Override
    public void report(Outcome outcome) {
        // the collector measures
    }

    @Override
    public void close() {
        // the cluster is not the job's
    }
}
