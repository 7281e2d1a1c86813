package io.weft.hadoop;

import io.weft.core.HadoopFiles;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/** Files of Hadoop's file systems, with the settings of its files and of system properties {@code weft.hadoop.KEY}. */
public final class HadoopStore extends HadoopFiles {
    private static final long serialVersionUID = 1L;
    private static final String PREFIX = "weft.hadoop.";
    private static final Configuration SETTINGS = new Configuration();

    static {
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(PREFIX)) {
                SETTINGS.set(name.substring(PREFIX.length()), System.getProperty(name));
            }
        }
        UserGroupInformation.setConfiguration(SETTINGS);
    }

    @Override
    protected Configuration settings() {
        return SETTINGS;
    }
}
