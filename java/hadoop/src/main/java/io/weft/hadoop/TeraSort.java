package io.weft.hadoop;

import io.weft.core.KeySample;
import io.weft.core.Outcome;
import io.weft.core.UsageError;
import io.weft.job.TeraSortJob;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** TeraSort as Hadoop's examples have it, or by weft's sorter behind MapReduce's shuffle. */
public final class TeraSort extends TeraSortJob<Session> {
    public static void main(String[] args) {
        main(new TeraSort(), args);
    }

    @Override
    protected Session open() {
        if (method() == Method.KRYO) {
            throw new UsageError("Option --method must be stock or raw on Hadoop.");
        }
        return new Session();
    }

    @Override
    protected long sort(Session session, Outcome outcome) throws Exception {
        Job job = method() == Method.RAW ? raw(session)
                : phases.measure("sort", () -> session.ran(StockSort.run(input(), output(), partitions(), splitBytes())));
        return Session.value(Session.counters(job), TaskCounter.REDUCE_OUTPUT_RECORDS);
    }

    private Job raw(Session session) throws Exception {
        Job job = ScatterJob.of("terasort", input(), partitions(), splitBytes());
        job.setReducerClass(SortRange.class);
        job.setOutputFormatClass(RecordOutput.class);
        job.setOutputKeyClass(NullWritable.class);
        job.setOutputValueClass(Records.class);
        FileOutputFormat.setOutputPath(job, new Path(output()));
        Ranges.put(phases.measure("sample", () -> KeySample.ranges(splits(), partitions())), job.getConfiguration());
        return phases.measure("sort", () -> session.run(job));
    }
}
