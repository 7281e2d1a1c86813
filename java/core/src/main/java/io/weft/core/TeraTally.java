package io.weft.core;

import java.io.Serializable;
import java.util.zip.CRC32;

/** What arrived in a partition, or in all. */
public final class TeraTally implements Serializable {
    private static final long serialVersionUID = 1L;
    private final Sum128 sum = new Sum128();
    private long rows;
    private long misplaced;
    private long largest;

    /** A tally of nothing yet. */
    public TeraTally() {
    }

    /** What was counted elsewhere, where nobody knows of the largest partition. */
    public TeraTally(long rows, long misplaced, Sum128 checksums) {
        this.rows = rows;
        this.misplaced = misplaced;
        sum.add(checksums);
    }

    /** The tally of one partition is complete. */
    public void end() {
        largest = rows;
    }

    /** Counts the records of a chunk, and adds up their CRC32 where that is asked for. */
    public void count(Chunk chunk, RangeTable table, int range, boolean checksum) {
        CRC32 crc = new CRC32();
        for (int at = chunk.offset; at < chunk.offset + chunk.length; at += TeraRecord.LENGTH) {
            rows++;
            misplaced += table.range(TeraRecord.prefix(chunk.bytes, at)) == range ? 0 : 1;
            if (checksum) {
                crc.reset();
                crc.update(chunk.bytes, at, TeraRecord.LENGTH);
                sum.add(crc.getValue());
            }
        }
    }

    /** Adds another tally. */
    public void add(TeraTally other) {
        rows += other.rows;
        misplaced += other.misplaced;
        largest = Math.max(largest, other.largest);
        sum.add(other.sum);
    }

    /** Puts the tally into the outcome, with a problem for each difference; without a checksum, rows alone. */
    public void check(long expectedRows, String checksum, Outcome outcome) {
        outcome.same("row count", rows, expectedRows);
        outcome.same("number of records in a wrong partition", misplaced, 0L);
        outcome.put("rows", rows).put("misplaced", misplaced);
        if (largest > 0) {
            outcome.put("largest_partition_rows", largest);
        }
        if (!checksum.isEmpty()) {
            outcome.same("checksum", sum.hex(), checksum);
            outcome.put("checksum", sum.hex());
        }
    }
}
