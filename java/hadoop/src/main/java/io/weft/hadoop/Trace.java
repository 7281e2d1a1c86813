package io.weft.hadoop;

import io.weft.core.TraceLine;
import io.weft.core.TraceTally;
import io.weft.core.TraceWork;
import io.weft.job.TraceJob;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskInputOutputContext;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/** A trace's jobs as jobs of MapReduce, each with an application master of its own. */
public final class Trace extends TraceJob<Session> {
    private static final int GAP_MILLIS = 50;
    private final Map<String, Long> starts = new ConcurrentHashMap<>();

    public static void main(String[] args) {
        main(new Trace(), args);
    }

    @Override
    protected Session open() {
        return new Session();
    }

    @Override
    protected TraceTally run(Session session, TraceWork work, TraceLine line, String label, String directory)
            throws Exception {
        Job job = described(work, line, label, directory);
        job.submit();
        JobStatus status = job.getStatus();
        while (!status.isJobComplete()) {
            Thread.sleep(GAP_MILLIS);
            status = job.getStatus();
        }
        if (status.getStartTime() > 0) {
            starts.put(label, status.getStartTime());
        }
        if (!job.isSuccessful()) {
            throw new IOException(job.getJobID() + " failed: " + Session.reason(job, status));
        }
        Counters counters = Session.counters(job);
        return new TraceTally(Session.value(counters, Did.READ), Session.value(counters, Did.MOVED),
                Session.value(counters, Did.RECORDS), Session.value(counters, Did.SUM),
                Session.value(counters, Did.WRITTEN));
    }

    @Override
    protected long startedMillis(Session session, String label) {
        return starts.getOrDefault(label, -1L);
    }

    private static Job described(TraceWork work, TraceLine line, String label, String directory) throws IOException {
        Job job = Job.getInstance(new Configuration(), label);
        Configuration settings = job.getConfiguration();
        NumberInput.set(settings, line.maps(), line.maps());
        Task.put(settings, work, line, directory);
        job.setJarByClass(Trace.class);
        job.setInputFormatClass(NumberInput.class);
        job.setMapperClass(Read.class);
        job.setMapOutputKeyClass(LongWritable.class);
        job.setMapOutputValueClass(BytesWritable.class);
        job.setPartitionerClass(Reduces.class);
        job.setReducerClass(Write.class);
        job.setNumReduceTasks(line.reduces());
        job.setOutputFormatClass(NullOutputFormat.class);
        return job;
    }

    /** What tasks did, counted by the engine for attempts that succeeded. */
    private enum Did {
        READ, MOVED, RECORDS, SUM, WRITTEN
    }

    /** What a task has to know, as settings of the job. */
    private enum Task {
        INPUT, FILES, FILE, SEED, DIRECTORY, NUMBER, NAME, AT, READS, SHUFFLES, WRITES, MAPS, REDUCES;

        static void put(Configuration settings, TraceWork work, TraceLine line, String directory) {
            Object[] values = {work.input(), work.files(), work.file(), work.seed(), directory, line.number(),
                line.name(), line.atMillis(), line.input(), line.shuffle(), line.output(), line.maps(), line.reduces()};
            for (Task task : values()) {
                settings.set(task.key(), values[task.ordinal()].toString());
            }
        }

        static TraceWork work(Configuration settings) {
            return new TraceWork(settings.getRaw(INPUT.key()), FILES.count(settings), FILE.number(settings),
                    SEED.number(settings));
        }

        static TraceLine line(Configuration settings) {
            return new TraceLine(NUMBER.count(settings), settings.getRaw(NAME.key()), AT.number(settings),
                    READS.number(settings), SHUFFLES.number(settings), WRITES.number(settings), MAPS.count(settings),
                    REDUCES.count(settings));
        }

        private long number(Configuration settings) {
            return Long.parseLong(settings.getRaw(key()));
        }

        private int count(Configuration settings) {
            return Math.toIntExact(number(settings));
        }

        private String key() {
            return "weft.trace." + name().toLowerCase(Locale.ROOT);
        }
    }

    private static void count(TraceTally did, TaskInputOutputContext<?, ?, ?, ?> context) {
        long[] values = did.values();
        for (Did one : Did.values()) {
            context.getCounter(one).increment(values[one.ordinal()]);
        }
    }

    private static void write(TraceWork work, TraceLine line, TaskInputOutputContext<?, ?, ?, ?> context)
            throws IOException {
        int part = context.getTaskAttemptID().getTaskID().getId();
        String directory = context.getConfiguration().getRaw(Task.DIRECTORY.key());
        count(work.write(line, directory, part, context.getTaskAttemptID().toString()), context);
    }

    /** Reads its share, and sends its records or writes its part. */
    static final class Read extends Mapper<IntWritable, NullWritable, LongWritable, BytesWritable> {
        @Override
        protected void map(IntWritable map, NullWritable nothing, Context context)
                throws IOException, InterruptedException {
            TraceWork work = Task.work(context.getConfiguration());
            TraceLine line = Task.line(context.getConfiguration());
            count(work.read(line, map.get()), context);
            if (line.reduces() == 0) {
                write(work, line, context);
                return;
            }
            for (long i = TraceWork.firstRecord(line, map.get()); i < TraceWork.firstRecord(line, map.get() + 1); i++) {
                context.write(new LongWritable(i), new BytesWritable(work.value(line, i)));
            }
        }
    }

    /** Sends a record to its reduce task. */
    static final class Reduces extends Partitioner<LongWritable, BytesWritable> {
        @Override
        public int getPartition(LongWritable record, BytesWritable content, int reduces) {
            return TraceWork.reduce(record.get(), reduces);
        }
    }

    /** Compares what arrives, and writes its part. */
    static final class Write extends Reducer<LongWritable, BytesWritable, NullWritable, NullWritable> {
        private TraceWork work;
        private TraceLine line;
        private TraceTally arrived = TraceTally.NONE;

        @Override
        protected void setup(Context context) {
            work = Task.work(context.getConfiguration());
            line = Task.line(context.getConfiguration());
        }

        @Override
        protected void reduce(LongWritable record, Iterable<BytesWritable> contents, Context context)
                throws IOException {
            for (BytesWritable content : contents) {
                arrived = arrived.plus(work.arrived(line, record.get(), content.getBytes(), content.getLength()));
            }
        }

        @Override
        protected void cleanup(Context context) throws IOException {
            count(arrived, context);
            write(work, line, context);
        }
    }
}
