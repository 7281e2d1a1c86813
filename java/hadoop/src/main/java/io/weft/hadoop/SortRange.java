package io.weft.hadoop;

import io.weft.core.BlockSorter;
import io.weft.core.Merge;
import io.weft.core.SpillRun;
import io.weft.core.TeraRecord;
import java.io.File;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;

/** Sorts the records of one range and writes them in order. */
public final class SortRange extends Reducer<IntWritable, Records, NullWritable, Records> {
    /** Share of the heap for blocks; as much again holds what the shuffle fetched. */
    static final double SHARE = 0.4;

    private final LocalDirAllocator directories = new LocalDirAllocator(MRConfig.LOCAL_DIR);
    private int spills;

    @Override
    protected void reduce(IntWritable range, Iterable<Records> values, Context context)
            throws IOException, InterruptedException {
        long budget = (long) (Runtime.getRuntime().maxMemory() * SHARE);
        try (var sorter = new BlockSorter<>(new HeapMemory(budget), () -> spill(context))) {
            for (Records records : values) {
                sorter.add(records.bytes, records.offset, records.length);
            }
            context.getCounter(TaskCounter.SPILLED_RECORDS).increment(sorter.spilled() / TeraRecord.LENGTH);
            write(sorter.sorted(), context);
        }
    }

    private static void write(Merge merge, Context context) throws IOException, InterruptedException {
        Records one = new Records();
        one.length = TeraRecord.LENGTH;
        one.bytes = new byte[Records.MOST * TeraRecord.LENGTH];
        for (int read = merge.read(one.bytes, 0); read > 0; read = merge.read(one.bytes, 0)) {
            for (one.offset = 0; one.offset < read; one.offset += TeraRecord.LENGTH) {
                context.write(NullWritable.get(), one);
            }
        }
    }

    private SpillRun.Place spill(Context context) throws IOException {
        Configuration settings = context.getConfiguration();
        String name = context.getTaskAttemptID() + ".run" + spills++;
        File file = new File(directories.getLocalPathForWrite(name, settings).toUri().getPath());
        return () -> file;
    }
}
