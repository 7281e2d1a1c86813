package io.weft.hive;

import io.weft.core.HadoopFiles;
import org.apache.hadoop.conf.Configuration;

/** Files of Hadoop's file systems, with the settings of the run's files. */
public final class HiveStore extends HadoopFiles {
    private static final long serialVersionUID = 1L;
    private static final Configuration SETTINGS = new Configuration();

    @Override
    protected Configuration settings() {
        return SETTINGS;
    }
}
