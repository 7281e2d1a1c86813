package io.weft.hadoop;

import io.weft.core.KeySample;
import io.weft.core.TeraTally;
import io.weft.job.TeraCountJob;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;

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
    protected List<TeraTally> tally(Session session) throws Exception {
        Job job = ScatterJob.of("teracount", input(), partitions(), splitBytes());
        job.setReducerClass(CountRange.class);
        ResultLines lines = ResultLines.of(job, new Path(input(), "_tallies"));
        Ranges.put(phases.measure("sample", () -> KeySample.ranges(splits(), partitions())), job.getConfiguration());
        phases.measure("count", () -> session.run(job));
        return lines.read(TeraTally::of);
    }
}
