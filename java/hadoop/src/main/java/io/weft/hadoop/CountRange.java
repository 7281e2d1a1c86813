package io.weft.hadoop;

import io.weft.core.TeraTally;
import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Counts the records of one range, and writes its tally as a line. */
public final class CountRange extends Reducer<IntWritable, Records, Text, NullWritable> {
    private TeraTally tally;

    @Override
    protected void setup(Context context) {
        tally = new TeraTally(context.getTaskAttemptID().getTaskID().getId());
    }

    @Override
    protected void reduce(IntWritable range, Iterable<Records> values, Context context) {
        for (Records records : values) {
            tally.count(records.bytes, records.offset, records.length);
        }
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
        context.write(new Text(tally.text()), NullWritable.get());
    }
}
