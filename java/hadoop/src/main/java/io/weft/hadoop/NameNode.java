package io.weft.hadoop;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;

/** HDFS's NameNode over a directory of its own: makes the file system, then serves it, without a process for each. */
public final class NameNode {
    private NameNode() {
    }

    public static void main(String[] args) throws Exception {
        Configuration conf = new HdfsConfiguration();
        // what makes the file system would otherwise take the name under which the one that serves it counts retries
        conf.setBoolean("dfs.namenode.enable.retrycache", false);
        org.apache.hadoop.hdfs.server.namenode.NameNode.format(conf);
        org.apache.hadoop.hdfs.server.namenode.NameNode.main(args);
    }
}
