package io.weft.hadoop;

import io.weft.core.EdgeLines;
import io.weft.core.RankBlock;
import io.weft.core.RankSpec;
import io.weft.core.RankStage;
import io.weft.core.Store;
import io.weft.core.TextSplit;
import io.weft.core.UsageError;
import io.weft.job.PageRankJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/**
 * PageRank by the definition of {@link RankSpec}: a job makes blocks of the graph, and a job for each round sends every
 * block's messages, and the block itself, through the shuffle. Checked by {@code PageRankValidate}.
 */
public final class PageRank extends PageRankJob<Session> {
    private static final String BLOCKS = "weft.pagerank.blocks";
    private static final String LAST = "weft.pagerank.last";

    public static void main(String[] args) {
        main(new PageRank(), args);
    }

    @Override
    protected Session open() {
        if (method() != Method.OWN) {
            throw new UsageError("Option --method must be own on Hadoop.");
        }
        return new Session();
    }

    @Override
    protected long write(Session session) throws Exception {
        Job reading = TextJobs.of("pagerank-read", input(), partitions(), splitBytes());
        reading.setMapperClass(Read.class);
        List<Job> jobs = new ArrayList<>(List.of(reading));
        for (int round = 1; round <= spec().rounds(); round++) {
            jobs.add(round(round, between(), partitions()));
        }
        phases.measure("rank", () -> {
            for (int round = 0; round < jobs.size(); round++) {
                run(session, jobs.get(round), round);
            }
            return jobs;
        });
        return TextSplit.bytes(output());
    }

    private void run(Session session, Job job, int round) throws Exception {
        boolean last = round == spec().rounds();
        describe(job, spec(), partitions(), last);
        if (last) {
            TextJobs.writeLines(job, output());
        } else {
            job.setOutputFormatClass(SequenceFileOutputFormat.class);
            FileOutputFormat.setOutputPath(job, new Path(between() + "/" + round));
        }
        session.run(job);
        if (round > 1) {
            Store.of(between()).delete(between() + "/" + (round - 2));
        }
    }

    private String between() {
        return output() + "/_rounds";
    }

    @Override
    protected void tidy() throws Exception {
        Store.of(between()).delete(between());
        super.tidy();
    }

    private static Job round(int round, String between, int partitions) throws IOException {
        Job job = Job.getInstance(new Configuration(), "pagerank-" + round);
        job.setJarByClass(PageRank.class);
        job.setInputFormatClass(SequenceFileInputFormat.class);
        FileInputFormat.setInputPaths(job, between + "/" + (round - 1));
        // a block is one record, so that a file cannot be shared
        FileInputFormat.setMinInputSplitSize(job, Long.MAX_VALUE);
        job.setMapperClass(Send.class);
        job.setNumReduceTasks(partitions);
        return job;
    }

    private static void describe(Job job, RankSpec spec, int blocks, boolean last) {
        Configuration settings = job.getConfiguration();
        settings.setInt(BLOCKS, blocks);
        settings.setBoolean(LAST, last);
        settings.setInt("weft.pagerank.vertices", spec.vertices());
        settings.setInt("weft.pagerank.rounds", spec.rounds());
        settings.setDouble("weft.pagerank.damping", spec.damping());
        settings.setBoolean("weft.pagerank.spread", spec.spread());
        settings.setBoolean("weft.pagerank.merge", spec.merge());
        job.setReducerClass(Gather.class);
        job.setMapOutputKeyClass(IntWritable.class);
        job.setMapOutputValueClass(BytesWritable.class);
        job.setOutputKeyClass(last ? Text.class : IntWritable.class);
        job.setOutputValueClass(last ? Text.class : BytesWritable.class);
    }

    private static RankSpec spec(Configuration settings) {
        return new RankSpec(settings.getInt("weft.pagerank.vertices", 1), settings.getInt("weft.pagerank.rounds", 0),
                settings.getDouble("weft.pagerank.damping", 0), settings.getBoolean("weft.pagerank.spread", true),
                settings.getBoolean("weft.pagerank.merge", false));
    }

    /** Gathers edges by the block of their source; a block without edges is announced too. */
    static final class Read extends Mapper<LongWritable, Text, IntWritable, BytesWritable> {
        @Override
        public void run(Context context) throws IOException, InterruptedException {
            int blocks = context.getConfiguration().getInt(BLOCKS, 1);
            EdgeLines.Sink sink = (block, edges) ->
                    context.write(new IntWritable(block), new BytesWritable(RankStage.edges(edges)));
            EdgeLines lines = new EdgeLines(spec(context.getConfiguration()), blocks, sink);
            while (context.nextKeyValue()) {
                Text line = context.getCurrentValue();
                lines.add(line.getBytes(), 0, line.getLength());
            }
            lines.flush();
            for (int block = 0; block < blocks; block++) {
                sink.take(block, new long[0]);
            }
        }
    }

    /** Sends a block's messages, and the block to itself. */
    static final class Send extends Mapper<IntWritable, BytesWritable, IntWritable, BytesWritable> {
        @Override
        protected void map(IntWritable number, BytesWritable bytes, Context context)
                throws IOException, InterruptedException {
            int blocks = context.getConfiguration().getInt(BLOCKS, 1);
            RankStage stage = new RankStage(spec(context.getConfiguration()), blocks, number.get());
            stage.take(bytes.getBytes(), bytes.getLength());
            RankBlock block = stage.carried();
            for (int to = 0; to < blocks; to++) {
                context.write(new IntWritable(to), new BytesWritable(RankStage.message(block, to)));
            }
            context.write(number, bytes);
        }
    }

    /** Makes the next ranks of a block, or the block itself of its edges; writes it, or in the end its ranks. */
    static final class Gather extends Reducer<IntWritable, BytesWritable, Object, Object> {
        @Override
        protected void reduce(IntWritable number, Iterable<BytesWritable> carried, Context context)
                throws IOException, InterruptedException {
            Configuration settings = context.getConfiguration();
            RankStage stage = new RankStage(spec(settings), settings.getInt(BLOCKS, 1), number.get());
            for (BytesWritable bytes : carried) {
                stage.take(bytes.getBytes(), bytes.getLength());
            }
            RankBlock block = stage.block();
            if (!settings.getBoolean(LAST, false)) {
                context.write(number, new BytesWritable(RankStage.block(block)));
                return;
            }
            double[] ranks = block.ranks();
            for (int i = 0; i < ranks.length; i++) {
                context.write(new Text(Integer.toString(block.first() + i)), new Text(Double.toString(ranks[i])));
            }
        }
    }
}
