import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/** One map task for each line of a file, which spins the seconds that the line says: HadoopSpin FILE. */
public final class HadoopSpin {
    private HadoopSpin() {}

    /** Spins for its line. */
    public static final class Spinner extends Mapper<LongWritable, Text, NullWritable, NullWritable> {
        @Override
        protected void map(LongWritable offset, Text line, Context context) throws IOException {
            context.getCounter("spin", "states").increment(Spin.of(Double.parseDouble(line.toString())) == 0 ? 1 : 0);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Configuration settings = new Configuration();
        settings.setInt(NLineInputFormat.LINES_PER_MAP, 1);
        Job job = Job.getInstance(settings, "spin");
        job.setJarByClass(HadoopSpin.class);
        job.setMapperClass(Spinner.class);
        job.setInputFormatClass(NLineInputFormat.class);
        job.setOutputFormatClass(NullOutputFormat.class);
        job.setOutputKeyClass(NullWritable.class);
        job.setOutputValueClass(NullWritable.class);
        job.setNumReduceTasks(0);
        FileInputFormat.addInputPath(job, new Path(arguments[0]));
        System.exit(job.waitForCompletion(true) ? 0 : 1);
    }
}
