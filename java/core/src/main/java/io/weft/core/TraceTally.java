package io.weft.core;

import java.math.BigInteger;

/**
 * What tasks of a job of a trace did.
 *
 * @param read bytes read and compared
 * @param moved bytes of the records that arrived
 * @param records records that arrived and were compared
 * @param sum the sum of the squares of their numbers: the numbers themselves have the same sum if those beside one are lost
 *     and it comes three times
 * @param written bytes written
 */
public record TraceTally(long read, long moved, long records, long sum, long written) {
    /** Nothing. */
    public static final TraceTally NONE = new TraceTally(0, 0, 0, 0, 0);

    /** From its {@link #values}. */
    public static TraceTally of(long[] values) {
        return new TraceTally(values[0], values[1], values[2], values[3], values[4]);
    }

    /** As numbers, which every serializer knows, while Kryo does not know records. */
    public long[] values() {
        return new long[] {read, moved, records, sum, written};
    }

    /** Both. */
    public TraceTally plus(TraceTally other) {
        return new TraceTally(read + other.read, moved + other.moved, records + other.records, sum + other.sum,
                written + other.written);
    }

    /**
     * Compares it with the schedule. An attempt that was repeated may have read its share twice.
     *
     * @throws WrongInput when the job did not do what the schedule says
     */
    public TraceTally require(TraceLine line) throws WrongInput {
        long count = TraceWork.records(line);
        same("bytes of input", Math.min(read, line.input()), line.input());
        same("bytes of shuffle", moved, line.shuffle());
        same("records of the shuffle", records, count);
        same("the sum of the squares of the records' numbers", sum, below(count));
        same("bytes of output", written, line.output());
        return this;
    }

    /** What a record adds to the sum. */
    static long square(long record) {
        return record * record;
    }

    /** The sum over the numbers from 0 up to, not including, a count; it wraps, as what is added up does. */
    private static long below(long count) {
        BigInteger n = BigInteger.valueOf(count);
        BigInteger twice = n.shiftLeft(1).subtract(BigInteger.ONE);
        return n.multiply(n.subtract(BigInteger.ONE)).multiply(twice).divide(BigInteger.valueOf(6)).longValue();
    }

    private static void same(String what, long found, long expected) throws WrongInput {
        if (found != expected) {
            throw new WrongInput(what + ": " + found + " instead of " + expected);
        }
    }
}
