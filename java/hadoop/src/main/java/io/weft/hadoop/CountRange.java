package io.weft.hadoop;

import io.weft.core.RangeTable;
import io.weft.core.Sum128;
import io.weft.core.TeraRecord;
import io.weft.core.TeraTally;
import java.io.IOException;
import java.math.BigInteger;
import java.util.zip.CRC32;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Reducer;

/** Counts the records of one range, those of them that belong elsewhere, and adds up their CRC32. */
public final class CountRange extends Reducer<IntWritable, Records, NullWritable, NullWritable> {
    private static final int LIMBS = 4;
    private static final int LIMB_BITS = 32;

    private RangeTable table;

    /** What is counted; counters hold 63 bits, so that the 128-bit sum goes in limbs of 32. */
    public enum Found { ROWS, MISPLACED, LIMB_0, LIMB_1, LIMB_2, LIMB_3 }

    @Override
    protected void setup(Context context) throws IOException {
        table = Ranges.from(context.getConfiguration());
    }

    @Override
    protected void reduce(IntWritable range, Iterable<Records> values, Context context) {
        long rows = 0;
        long misplaced = 0;
        Sum128 sum = new Sum128();
        CRC32 crc = new CRC32();
        for (Records records : values) {
            for (int at = records.offset; at < records.offset + records.length; at += TeraRecord.LENGTH) {
                rows++;
                misplaced += table.range(TeraRecord.prefix(records.bytes, at)) == range.get() ? 0 : 1;
                crc.reset();
                crc.update(records.bytes, at, TeraRecord.LENGTH);
                sum.add(crc.getValue());
            }
        }
        context.getCounter(Found.ROWS).increment(rows);
        context.getCounter(Found.MISPLACED).increment(misplaced);
        BigInteger whole = new BigInteger(sum.hex(), 16);
        for (int i = 0; i < LIMBS; i++) {
            context.getCounter(limb(i)).increment(whole.shiftRight(i * LIMB_BITS).longValue() & 0xffffffffL);
        }
    }

    /** What was counted in all ranges. */
    static TeraTally tally(Counters counters) {
        return new TeraTally(Session.value(counters, Found.ROWS), Session.value(counters, Found.MISPLACED), sum(counters));
    }

    private static Sum128 sum(Counters counters) {
        BigInteger sum = BigInteger.ZERO;
        for (int i = 0; i < LIMBS; i++) {
            sum = sum.add(BigInteger.valueOf(Session.value(counters, limb(i))).shiftLeft(i * LIMB_BITS));
        }
        return Sum128.of(sum);
    }

    private static Found limb(int i) {
        return Found.values()[Found.LIMB_0.ordinal() + i];
    }
}
