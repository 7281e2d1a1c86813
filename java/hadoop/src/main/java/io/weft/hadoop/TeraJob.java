package io.weft.hadoop;

import io.weft.core.Splits;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/** What TeraSort and TeraCount share: the input, and a job that moves its records into ranges. */
final class TeraJob {
    static final long SPLIT_BYTES = 128 << 20;

    final Job job;
    final Splits splits;

    /** @throws io.weft.core.WrongInput when there is no input or a file holds a part of a record */
    TeraJob(String name, String input, int partitions, long splitBytes) throws IOException {
        Configuration settings = new Configuration();
        // what was fetched stays in memory for the reduce task, beside the blocks it sorts
        String share = String.valueOf(SortRange.SHARE);
        JobRun.setUnlessGiven(settings, MRJobConfig.SHUFFLE_INPUT_BUFFER_PERCENT, share);
        JobRun.setUnlessGiven(settings, MRJobConfig.REDUCE_INPUT_BUFFER_PERCENT, share);
        job = Job.getInstance(settings, name);
        job.setJarByClass(TeraJob.class);
        job.setInputFormatClass(RecordInput.class);
        job.setMapperClass(Scatter.class);
        job.setMapOutputKeyClass(IntWritable.class);
        job.setMapOutputValueClass(Records.class);
        job.setPartitionerClass(Scatter.ByRange.class);
        job.setNumReduceTasks(partitions);
        FileInputFormat.setInputPaths(job, input);
        FileInputFormat.setMinInputSplitSize(job, splitBytes);
        FileInputFormat.setMaxInputSplitSize(job, splitBytes);
        splits = new Splits(input, splitBytes);
    }
}
