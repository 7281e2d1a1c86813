import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Jobs of MapReduce that fail, by the name in their first argument; the second is their input. */
public class HadoopCauses extends Configured implements Tool {
    public static void main(String[] args) throws Exception {
        System.exit(ToolRunner.run(new HadoopCauses(), args));
    }

    @Override
    public int run(String[] args) throws Exception {
        getConf().set("cause", args[0]);
        var job = Job.getInstance(getConf(), "causes");
        job.setJarByClass(HadoopCauses.class);
        job.setMapperClass(Failing.class);
        job.setNumReduceTasks(0);
        job.setOutputKeyClass(NullWritable.class);
        job.setOutputFormatClass(NullOutputFormat.class);
        FileInputFormat.addInputPath(job, new Path(args[1]));
        return job.waitForCompletion(true) ? 0 : 1;
    }

    /** Fails as its job asks. */
    public static class Failing extends Mapper<LongWritable, Text, NullWritable, Text> {
        @Override
        protected void map(LongWritable key, Text value, Context context) throws IOException, InterruptedException {
            switch (context.getConfiguration().get("cause")) {
                case "exception" -> throw new IllegalStateException("no such customer: " + value);
                case "heap" -> fill(new ArrayList<>());
                case "container" -> allocate(new ArrayList<>());
                default -> Runtime.getRuntime().halt(9);
            }
        }

        private static void fill(List<long[]> kept) {
            while (true) {
                kept.add(new long[1 << 20]);
            }
        }

        private static void allocate(List<ByteBuffer> kept) throws InterruptedException {
            for (int i = 0; i < 30; i++) {
                var part = ByteBuffer.allocateDirect(1 << 26);
                while (part.hasRemaining()) {
                    part.putLong(1);
                }
                kept.add(part);
            }
            Thread.sleep(30_000);
        }
    }
}
