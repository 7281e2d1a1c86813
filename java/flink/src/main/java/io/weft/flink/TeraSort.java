package io.weft.flink;

import io.weft.core.Attempt;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.RangeTable;
import io.weft.core.Splits;
import io.weft.core.Store;
import io.weft.core.TeraRecord;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * Sorts TeraGen's records into a total order over numbered parts. The measured seconds hold sampling and sorting,
 * from the first read of a record to the end of the job; the order itself is checked by {@code TeraValidate}.
 */
public final class TeraSort {
    static final long SPLIT_BYTES = 128 << 20;
    private static final List<String> KEYS =
            List.of("input", "output", "partitions", "split-bytes", "method", "executors");

    private TeraSort() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, TeraSort::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String method = options.choice("method", "raw", "raw", "stock");
        int partitions = options.integer("partitions", 8, 1, 32_768);
        String output = options.text("output");
        Splits splits = new Splits(options.text("input"),
                options.number("split-bytes", SPLIT_BYTES, TeraRecord.LENGTH, 1L << 40));
        Attempt.requireEmpty(output);
        Phases phases = new Phases();
        Session session = phases.time("start", Session::new);
        JobExecutionResult result;
        try {
            RangeTable table = phases.time("sample", () -> Session.ranges(splits, partitions));
            describe(session, method, splits, table, output, partitions);
            result = phases.time("sort", () -> session.execute("terasort-" + method));
        } finally {
            Store.of(output).delete(Attempt.aside(output));
        }
        long rows = result.<Long>getAccumulatorResult("rows");
        outcome.same("rows written", rows, splits.rows());
        outcome.put("method", method).put("partitions", partitions).put("splits", splits.splits.size())
                .put("rows_in", splits.rows()).put("rows_out", rows)
                .put("bytes_in", splits.bytes()).put("bytes_out", rows * TeraRecord.LENGTH);
        if (result.getAccumulatorResult("spilled") != null) {
            outcome.put("disk_bytes_spilled", result.<Long>getAccumulatorResult("spilled"));
        }
        phases.report(outcome, "sample", "sort");
    }

    private static void describe(Session session, String method, Splits splits, RangeTable table, String output,
            int partitions) {
        if (method.equals("stock")) {
            StockSort.sorted(session, splits, table, partitions)
                    .transform("write", Types.VOID, new WriteOperator(output)).setParallelism(partitions);
            return;
        }
        SingleOutputStreamOperator<Void> sort = session.scattered(splits, table, partitions)
                .transform("sort", Types.VOID, new SortOperator(output)).setParallelism(partitions);
        sort.getTransformation().declareManagedMemoryUseCaseAtOperatorScope(ManagedMemoryUseCase.OPERATOR, 1);
    }
}
