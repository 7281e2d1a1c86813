package io.weft.hadoop;

import io.weft.core.DfsioFile;
import io.weft.core.DfsioTiming;
import io.weft.core.Store;
import io.weft.job.DfsioJob;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;

/** TestDFSIO by map tasks. */
public final class Dfsio extends DfsioJob<Session> {
    public static void main(String[] args) {
        main(new Dfsio(), args);
    }

    @Override
    protected Session open() {
        return new Session();
    }

    @Override
    protected List<DfsioTiming> timings(Session session) throws Exception {
        Files files = files();
        Job job = Job.getInstance(new Configuration(), "dfsio-" + word());
        Configuration settings = job.getConfiguration();
        NumberInput.set(settings, files.count(), files.tasks());
        Task.DIRECTORY.set(settings, files.directory());
        Task.OPERATION.set(settings, files.operation().name());
        Task.BYTES.set(settings, String.valueOf(files.bytes()));
        Task.BUFFER.set(settings, String.valueOf(files.buffer()));
        Task.SEED.set(settings, String.valueOf(files.seed()));
        job.setJarByClass(Dfsio.class);
        job.setInputFormatClass(NumberInput.class);
        job.setMapperClass(Measure.class);
        job.setNumReduceTasks(0);
        ResultLines lines = ResultLines.of(job, new Path(files.directory(), "_timings"));
        phases.measure(word(), () -> session.run(job));
        return lines.read(DfsioTiming::of);
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
