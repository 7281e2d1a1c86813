package io.weft.spark;

import io.weft.core.Progress;
import org.apache.spark.SparkConf;
import org.apache.spark.Success$;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** A Spark context that reports finished tasks as progress. */
final class Session {
    private Session() {
    }

    /** Starts with the settings of the command line, which win over those given here. */
    static JavaSparkContext start(SparkConf conf) {
        JavaSparkContext spark = new JavaSparkContext(conf);
        spark.sc().addSparkListener(new Tasks());
        return spark;
    }

    private static final class Tasks extends SparkListener {
        private final Progress progress = new Progress(0);

        @Override
        public void onStageSubmitted(SparkListenerStageSubmitted stage) {
            progress.expect(stage.stageInfo().numTasks());
        }

        @Override
        public void onTaskEnd(SparkListenerTaskEnd task) {
            if (task.reason() == Success$.MODULE$) {
                progress.add(1);
            }
        }
    }
}
