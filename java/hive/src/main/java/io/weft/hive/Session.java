package io.weft.hive;

import io.weft.core.Outcome;
import io.weft.job.EngineSession;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.DriverFactory;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.session.SessionState;

/** Hive's client in this process, with its metastore; on Tez, one ApplicationMaster runs all queries. */
final class Session implements EngineSession {
    final HiveConf conf = new HiveConf(Session.class);

    private final SessionState state;

    /**
     * @param own settings of this job
     * @param settings a file with others of them, or null
     */
    Session(Map<String, String> own, String settings) throws Exception {
        if (settings != null) {
            conf.addResource(new Path(settings));
        }
        own.forEach(conf::set);
        state = SessionState.start(new SessionState(conf));
    }

    /** Compiles and runs a statement under a name, and gives what its tasks counted. */
    Map<String, Long> run(String name, String text) throws Exception {
        conf.set("hive.query.name", name);
        conf.set("mapreduce.job.name", name);
        try (IDriver driver = DriverFactory.newDriver(conf)) {
            driver.compileAndRespond(text);
            // it is forgotten when it has run
            QueryPlan plan = driver.getPlan();
            driver.run();
            return Counts.of(plan, state);
        }
    }

    @Override
    public void report(Outcome outcome) {
        // what tasks counted is that of each query
    }

    @Override
    public void close() {
        try {
            state.close();
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
