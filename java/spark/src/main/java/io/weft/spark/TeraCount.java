package io.weft.spark;

import io.weft.core.Chunk;
import io.weft.core.RangeTable;
import io.weft.core.TeraTally;
import io.weft.job.TeraCountJob;
import java.util.Iterator;
import java.util.List;
import scala.Tuple2;

/** TeraCount through Spark's shuffle. */
public final class TeraCount extends TeraCountJob<Session> {
    public static void main(String[] args) {
        main(new TeraCount(), args);
    }

    @Override
    protected Session open() throws Exception {
        return new Session(RawSort.conf("teracount"), executors());
    }

    @Override
    protected List<TeraTally> tally(Session session) throws Exception {
        RangeTable table = phases.measure("sample", () -> Sample.ranges(session.spark, splits(), partitions()));
        return phases.measure("count", () -> new ScatterRdd(session.spark.sc(), splits(), table, partitions()).shuffled()
                .toJavaRDD().mapPartitionsWithIndex(TeraCount::tally, false).collect());
    }

    private static Iterator<TeraTally> tally(int partition, Iterator<Tuple2<Integer, Chunk>> chunks) {
        TeraTally tally = new TeraTally(partition);
        while (chunks.hasNext()) {
            tally.count(chunks.next()._2());
        }
        return List.of(tally).iterator();
    }
}
