package org.apache.hadoop.examples.terasort;

/** Hadoop's own TeraGen row; its generator is visible only inside its package. */
public final class Oracle {
    private Oracle() {
    }

    /** The 100 bytes of a row, made as TeraGen's first map call of a split makes it. */
    public static byte[] row(long number) {
        Unsigned16 row = new Unsigned16(number);
        Unsigned16 random = Random16.skipAhead(row);
        Random16.nextRand(random);
        byte[] record = new byte[100];
        GenSort.generateRecord(record, random, row);
        return record;
    }
}
