package io.weft.hadoop;

import io.weft.core.TeraRecord;
import io.weft.core.WrongInput;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.InvalidInputException;

/** What TeraSort and TeraCount share: the input, and a job that moves its records into ranges. */
final class TeraJob {
    static final long SPLIT_BYTES = 128 << 20;

    final Job job;
    final List<FileStatus> files;

    /** @throws WrongInput when there is no input or a file holds a part of a record */
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
        files = files(input);
    }

    long bytes() {
        return files.stream().mapToLong(FileStatus::getLen).sum();
    }

    long rows() {
        return bytes() / TeraRecord.LENGTH;
    }

    private List<FileStatus> files(String input) throws IOException {
        List<FileStatus> found;
        try {
            found = new RecordInput().listStatus(job);
        } catch (InvalidInputException error) {
            throw new WrongInput("The input " + input + " does not exist.");
        }
        if (found.isEmpty()) {
            throw new WrongInput("The input " + new Path(input) + " holds no file.");
        }
        return found;
    }
}
