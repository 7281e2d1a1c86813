package io.weft.spark;

import io.weft.core.HadoopFiles;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.deploy.SparkHadoopUtil;

/** Files of any file system Hadoop knows, such as {@code hdfs:}, with Spark's Hadoop settings. */
public final class HadoopStore extends HadoopFiles {
    private static final long serialVersionUID = 1L;

    @Override
    protected Configuration settings() {
        return Settings.SPARK;
    }

    private static final class Settings {
        // an executor's settings of Hadoop reach it in its SparkEnv alone
        private static final Configuration SPARK = SparkHadoopUtil.get()
                .newConfiguration(SparkEnv.get() == null ? new SparkConf() : SparkEnv.get().conf());
    }
}
