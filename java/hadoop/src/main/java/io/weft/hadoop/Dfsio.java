package io.weft.hadoop;

import io.weft.core.DfsioFile;
import io.weft.core.DfsioRates;
import io.weft.core.DfsioTiming;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.Phases;
import io.weft.core.Program;
import io.weft.core.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/**
 * TestDFSIO by map tasks: each does the same operation on its share of the files, one after another, and reports the
 * time of each. The measured seconds are those of the whole job; the files' own times give the rates.
 */
public final class Dfsio {
    private static final List<String> KEYS =
            List.of("directory", "operation", "files", "bytes", "buffer", "seed", "tasks", "executors");

    private Dfsio() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Dfsio::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String word = options.choice("operation", "write", "write", "append", "read", "random");
        int files = options.integer("files", 1, 1, 1_000_000);
        int tasks = Math.min(files, options.integer("tasks", files, 1, 1_000_000));
        Job job = Job.getInstance(new Configuration(), "dfsio-" + word);
        Configuration settings = job.getConfiguration();
        NumberInput.set(settings, files, tasks);
        Task.DIRECTORY.set(settings, options.text("directory"));
        Task.OPERATION.set(settings, word.toUpperCase(Locale.ROOT));
        Task.BYTES.set(settings, String.valueOf(options.number("bytes", 1 << 20, 0, 1L << 50)));
        Task.BUFFER.set(settings, String.valueOf(options.integer("buffer", DfsioFile.BUFFER, Long.BYTES, 1 << 30)));
        Task.SEED.set(settings, String.valueOf(options.number("seed", 0, 0, 1 << 30)));
        job.setJarByClass(Dfsio.class);
        job.setInputFormatClass(NumberInput.class);
        job.setMapperClass(Measure.class);
        job.setNumReduceTasks(0);
        job.setOutputFormatClass(TextOutputFormat.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(NullWritable.class);
        Path told = new Path(options.text("directory"), "_timings");
        TextOutputFormat.setOutputPath(job, told);
        Phases phases = new Phases();
        long began = System.nanoTime();
        phases.time(word, () -> {
            JobRun.run(job);
            return null;
        });
        double seconds = (System.nanoTime() - began) / 1e9;
        DfsioRates.report(timings(told, settings), seconds, outcome);
        phases.report(outcome, word);
        JobRun.report(job, outcome);
    }

    private static List<DfsioTiming> timings(Path told, Configuration settings) throws IOException {
        List<DfsioTiming> timings = new ArrayList<>();
        FileSystem system = told.getFileSystem(settings);
        for (FileStatus file : system.listStatus(told, path -> path.getName().startsWith("part-"))) {
            try (BufferedReader lines = new BufferedReader(
                    new InputStreamReader(system.open(file.getPath()), StandardCharsets.UTF_8))) {
                lines.lines().map(DfsioTiming::of).forEach(timings::add);
            }
        }
        return timings;
    }

    /** What a task has to know, as settings of the job. */
    private enum Task {
        DIRECTORY, OPERATION, BYTES, BUFFER, SEED;

        private String key() {
            return "weft.dfsio." + name().toLowerCase(Locale.ROOT);
        }

        void set(Configuration settings, String value) {
            settings.set(key(), value);
        }

        String get(Configuration settings) {
            return settings.get(key());
        }
    }

    /** One file after another. */
    static final class Measure extends Mapper<IntWritable, NullWritable, Text, NullWritable> {
        @Override
        protected void map(IntWritable number, NullWritable nothing, Context context)
                throws IOException, InterruptedException {
            Configuration settings = context.getConfiguration();
            String directory = Task.DIRECTORY.get(settings);
            DfsioFile file = DfsioFile.of(directory, number.get(), Long.parseLong(Task.SEED.get(settings)),
                    Long.parseLong(Task.BYTES.get(settings)), Integer.parseInt(Task.BUFFER.get(settings)));
            DfsioTiming timing =
                    file.measure(DfsioFile.Operation.valueOf(Task.OPERATION.get(settings)), Store.of(directory));
            context.write(new Text(timing.text()), NullWritable.get());
            context.progress();
        }
    }
}
