package io.weft.hadoop;

import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/** TeraSort as Hadoop's examples have it, with nothing of weft's but the number of its tasks. */
final class StockSort {
    private StockSort() {
    }

    /** Runs it as its command line would, sampling included, and gives the job that it ran. */
    static Job run(String input, String output, int partitions, long splitBytes) throws Exception {
        Configuration settings = new Configuration();
        settings.setInt(MRJobConfig.NUM_REDUCES, partitions);
        settings.setLong(FileInputFormat.SPLIT_MINSIZE, splitBytes);
        settings.setLong(FileInputFormat.SPLIT_MAXSIZE, splitBytes);
        // tasks look for the partition file in their own directory, which a cached file system would take for the job's
        settings.set("fs.file.impl.disable.cache", "true");
        var program = new org.apache.hadoop.examples.terasort.TeraSort();
        program.setConf(settings);
        int code = program.run(new String[] {input, output});
        if (code < 0) {
            throw new IOException("Hadoop's TeraSort submitted no job, and its log says why; it needs a sampled key for each of the "
                    + partitions + " partitions");
        }
        Cluster cluster = new Cluster(settings);
        JobStatus last = Arrays.stream(cluster.getAllJobStatuses())
                .max(Comparator.comparing(JobStatus::getJobID)).orElseThrow();
        if (code != 0) {
            throw new IOException(last.getJobID() + " failed: " + last.getFailureInfo());
        }
        return cluster.getJob(last.getJobID());
    }
}
