package io.weft.hadoop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/**
 * What the tasks of a job found, as lines of text in files: a job's counters are few.
 *
 * @param job whose tasks write a text each
 * @param directory of the files, made by the job
 */
record ResultLines(Job job, Path directory) {
    /** Makes a job write its results into a directory that is not there yet. */
    static ResultLines of(Job job, Path directory) {
        job.setOutputFormatClass(TextOutputFormat.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(NullWritable.class);
        TextOutputFormat.setOutputPath(job, directory);
        return new ResultLines(job, directory);
    }

    /** The results of a job that has ended. */
    <T> List<T> read(Function<String, T> parse) throws IOException {
        List<T> found = new ArrayList<>();
        FileSystem system = directory.getFileSystem(job.getConfiguration());
        for (FileStatus file : system.listStatus(directory, path -> path.getName().startsWith("part-"))) {
            try (BufferedReader lines = new BufferedReader(
                    new InputStreamReader(system.open(file.getPath()), StandardCharsets.UTF_8))) {
                lines.lines().map(parse).forEach(found::add);
            }
        }
        return found;
    }
}
