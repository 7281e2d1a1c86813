package io.weft.hadoop;

import io.weft.core.RangeTable;
import io.weft.core.TeraRecord;
import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;

/** Gathers records by range; a range's records go into the shuffle together whenever there are enough of them. */
public final class Scatter extends Mapper<NullWritable, Records, IntWritable, Records> {
    /** Records of all ranges together stay within this many bytes, as long as each range can hold 4. */
    private static final int ALL = 16 << 20;

    private final IntWritable key = new IntWritable();
    private final Records chunk = new Records();
    private RangeTable table;
    private byte[] chunks;
    private int[] filled;
    private int chunkBytes;

    @Override
    protected void setup(Context context) throws IOException {
        int ranges = context.getNumReduceTasks();
        table = Ranges.from(context.getConfiguration());
        chunkBytes = Math.max(4, Math.min(Records.MOST, ALL / TeraRecord.LENGTH / ranges)) * TeraRecord.LENGTH;
        chunks = new byte[Math.multiplyExact(ranges, chunkBytes)];
        filled = new int[ranges];
    }

    @Override
    protected void map(NullWritable none, Records batch, Context context) throws IOException, InterruptedException {
        for (int at = batch.offset; at < batch.offset + batch.length; at += TeraRecord.LENGTH) {
            int range = table.range(TeraRecord.prefix(batch.bytes, at));
            System.arraycopy(batch.bytes, at, chunks, range * chunkBytes + filled[range], TeraRecord.LENGTH);
            filled[range] += TeraRecord.LENGTH;
            if (filled[range] == chunkBytes) {
                give(range, context);
            }
        }
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
        for (int range = 0; range < filled.length; range++) {
            if (filled[range] > 0) {
                give(range, context);
            }
        }
    }

    private void give(int range, Context context) throws IOException, InterruptedException {
        key.set(range);
        chunk.bytes = chunks;
        chunk.offset = range * chunkBytes;
        chunk.length = filled[range];
        context.write(key, chunk);
        filled[range] = 0;
    }

    /** The key is the partition. */
    public static final class ByRange extends Partitioner<IntWritable, Records> {
        @Override
        public int getPartition(IntWritable range, Records records, int partitions) {
            return range.get();
        }
    }
}
