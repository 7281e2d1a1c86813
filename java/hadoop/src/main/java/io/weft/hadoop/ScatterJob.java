package io.weft.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/** What TeraSort and TeraCount share: a job that moves the records of its input into ranges. */
final class ScatterJob {
    private ScatterJob() {
    }

    /** The job; its reducer and its output are to be set. */
    static Job of(String name, String input, int partitions, long splitBytes) throws IOException {
        Configuration settings = new Configuration();
        // what was fetched stays in memory for the reduce task, beside the blocks it sorts
        String share = String.valueOf(SortRange.SHARE);
        Session.setUnlessGiven(settings, MRJobConfig.SHUFFLE_INPUT_BUFFER_PERCENT, share);
        Session.setUnlessGiven(settings, MRJobConfig.REDUCE_INPUT_BUFFER_PERCENT, share);
        Job job = Job.getInstance(settings, name);
        job.setJarByClass(ScatterJob.class);
        job.setInputFormatClass(RecordInput.class);
        job.setMapperClass(Scatter.class);
        job.setMapOutputKeyClass(IntWritable.class);
        job.setMapOutputValueClass(Records.class);
        job.setPartitionerClass(Scatter.ByRange.class);
        job.setNumReduceTasks(partitions);
        FileInputFormat.setInputPaths(job, input);
        FileInputFormat.setMinInputSplitSize(job, splitBytes);
        FileInputFormat.setMaxInputSplitSize(job, splitBytes);
        return job;
    }
}
