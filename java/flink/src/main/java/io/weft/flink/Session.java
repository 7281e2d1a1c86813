package io.weft.flink;

import io.weft.core.Chunk;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.RangeTable;
import io.weft.core.Splits;
import io.weft.core.UsageError;
import io.weft.job.Causes;
import io.weft.job.EngineSession;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A batch job on the cluster that the command line's configuration names. */
final class Session implements EngineSession {
    final StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();

    /** The most tasks of an operator. */
    private static final int MOST_TASKS = 32_768;

    /** @throws UsageError when Flink cannot run an operator in so many tasks */
    Session(int tasks) {
        if (tasks > MOST_TASKS) {
            throw new UsageError("Flink runs an operator in at most " + MOST_TASKS + " tasks, not " + tasks + ".");
        }
        flink.setRuntimeMode(RuntimeExecutionMode.BATCH);
        // records are bytes that nobody changes after they were given on
        flink.getConfig().enableObjectReuse();
    }

    /** Splits are read by as many tasks as there are slots, each taking the next when it has done one. */
    int readers(Splits splits) {
        return Math.min(splits.splits.size(), Math.max(1, flink.getParallelism()));
    }

    /** The records of all splits in chunks, chunks of range i on their way to task i of the next operator. */
    DataStream<Chunk> scattered(Splits splits, RangeTable table, int ranges) {
        return numbers(splits).flatMap(new ScatterSplit(splits, table, ranges)).returns(new ChunkType())
                .setParallelism(readers(splits)).name("scatter")
                .partitionCustom((Integer range, int count) -> range, chunk -> chunk.range);
    }

    /** The numbers of the splits. */
    DataStream<Long> numbers(Splits splits) {
        return flink.fromSource(new SplitSource(splits.splits.size()), WatermarkStrategy.noWatermarks(), "splits")
                .setParallelism(readers(splits));
    }

    /** Runs all that was described as a measured phase; a failure is the first cause that the cluster names. */
    JobExecutionResult execute(Phases phases, String phase, String name) throws Exception {
        try {
            return phases.measure(phase, () -> JobEnd.of(flink, name), JobEnd::nanos).result();
        } catch (Exception error) {
            throw new IllegalStateException(Causes.innermost(error).toString(), error);
        }
    }

    @Override
    public void report(Outcome outcome) {
        // what tasks count comes back with the result of a job
    }

    @Override
    public void close() {
        // the cluster is not the job's
    }
}
