package io.weft.hadoop;

import io.weft.core.KeySample;
import io.weft.core.TeraTally;
import io.weft.job.TeraCountJob;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/** TeraCount through MapReduce's shuffle. */
public final class TeraCount extends TeraCountJob<Session> {
    public static void main(String[] args) {
        main(new TeraCount(), args);
    }

    @Override
    protected Session open() {
        return new Session();
    }

    @Override
    protected TeraTally tally(Session session) throws Exception {
        Job job = ScatterJob.of("teracount", input(), partitions(), splitBytes());
        job.setReducerClass(CountRange.class);
        job.setOutputFormatClass(NullOutputFormat.class);
        job.setOutputKeyClass(NullWritable.class);
        job.setOutputValueClass(NullWritable.class);
        Ranges.put(phases.measure("sample", () -> KeySample.ranges(splits(), partitions())), job.getConfiguration());
        phases.measure("count", () -> session.run(job));
        return CountRange.tally(job.getCounters());
    }
}
