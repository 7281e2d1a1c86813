package io.weft.core;

/** An unsigned 128-bit sum, wrapping; the checksum of TeraSort data is such a sum of the CRC32 of each record. */
public final class Sum128 {
    private long high;
    private long low;

    /** Adds an unsigned 64-bit value. */
    public void add(long value) {
        low += value;
        if (Long.compareUnsigned(low, value) < 0) {
            high++;
        }
    }

    /** Adds another sum. */
    public void add(Sum128 other) {
        add(other.low);
        high += other.high;
    }

    /** Lower-case hex digits without leading zeros, as TeraValidate prints it. */
    public String hex() {
        String tail = Long.toHexString(low);
        return high == 0 ? tail : Long.toHexString(high) + "0".repeat(16 - tail.length()) + tail;
    }
}
