package io.weft.flink;

import io.weft.core.KeySample;
import io.weft.core.Outcome;
import io.weft.core.RangeTable;
import io.weft.core.UsageError;
import io.weft.job.TeraSortJob;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** TeraSort by Flink's own operators, or by weft's sorter behind Flink's shuffle. */
public final class TeraSort extends TeraSortJob<Session> {
    public static void main(String[] args) {
        main(new TeraSort(), args);
    }

    @Override
    protected Session open() {
        if (method() == Method.KRYO) {
            throw new UsageError("Option --method must be stock or raw on Flink.");
        }
        return new Session(partitions());
    }

    @Override
    protected long sort(Session session, Outcome outcome) throws Exception {
        RangeTable table = phases.measure("sample", () -> KeySample.ranges(splits(), partitions()));
        if (method() == Method.RAW) {
            describeRaw(session, table);
        } else {
            StockSort.sorted(session, splits(), table, partitions())
                    .transform("write", Types.VOID, new WriteOperator(output())).setParallelism(partitions());
        }
        JobExecutionResult result = session.execute(phases, "sort", "terasort-" + method().word());
        if (method() == Method.RAW) {
            outcome.put("disk_bytes_spilled", result.<Long>getAccumulatorResult("spilled"));
        }
        return result.<Long>getAccumulatorResult("rows");
    }

    private void describeRaw(Session session, RangeTable table) {
        SingleOutputStreamOperator<Void> sort = session.scattered(splits(), table, partitions())
                .transform("sort", Types.VOID, new SortOperator(output())).setParallelism(partitions());
        sort.getTransformation().declareManagedMemoryUseCaseAtOperatorScope(ManagedMemoryUseCase.OPERATOR, 1);
    }
}
