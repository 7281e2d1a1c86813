package io.weft.stream;

import io.weft.core.Hash64;
import io.weft.core.UsageError;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;

/**
 * What producers publish: records of a fixed length, numbers as text, separated by spaces. Each number follows from the
 * seed, the producer, the record and its place in it.
 *
 * @param producers each has a partition of the topic with its own number
 * @param length bytes of a record
 * @param values numbers in a record
 * @param field which of them is aggregated, from 0
 */
public record StreamSpec(int producers, int length, int values, int field, long seed)
        implements StreamRecords, Serializable {
    private static final long serialVersionUID = 1L;
    private static final int LEAST_WIDTH = 3;
    /** Sums of so many records of nine digits fit into 64 bits: 9.2e9. */
    private static final int MOST_DIGITS = 9;

    /** @throws UsageError when the numbers do not fit into a record */
    public StreamSpec {
        if (field >= values) {
            throw new UsageError("Field " + field + " is not one of the " + values + " numbers of a record.");
        }
        if ((length + 1) / values - 1 < LEAST_WIDTH) {
            throw new UsageError("A record of " + length + " bytes does not hold " + values + " numbers of "
                    + LEAST_WIDTH + " characters each.");
        }
    }

    private int digits() {
        return Math.min(MOST_DIGITS, (length + 1) / values - 2);
    }

    /** The number at a place of a producer's record; as many are below 0 as above. */
    public long value(int producer, long number, int place) {
        long most = power(digits()) - 1;
        long hash = Hash64.mix(Hash64.of(producer, Hash64.mix(seed) + number) + place);
        return Math.floorMod(hash, 2 * most + 1) - most;
    }

    /** The number that is aggregated. */
    public long value(int producer, long number) {
        return value(producer, number, field);
    }

    /** A record: each number with its sign and leading zeros, filled up with spaces. */
    public byte[] record(int producer, long number) {
        byte[] record = " ".repeat(length).getBytes(StandardCharsets.US_ASCII);
        int width = digits() + 1;
        for (int place = 0; place < values; place++) {
            write(record, place * (width + 1), value(producer, number, place));
        }
        return record;
    }

    @Override
    public byte[] record(Step step, int producer, long number) {
        return record(producer, number);
    }

    private void write(byte[] record, int at, long value) {
        record[at] = (byte) (value < 0 ? '-' : '+');
        long rest = Math.abs(value);
        for (int i = at + digits(); i > at; i--) {
            record[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    /** The number at a place of a record. */
    public static long parse(byte[] record, int place) {
        int at = 0;
        for (int skipped = 0; skipped < place; at++) {
            skipped += record[at] == ' ' ? 1 : 0;
        }
        boolean negative = record[at] == '-';
        long value = 0;
        for (at++; at < record.length && record[at] != ' '; at++) {
            value = value * 10 + record[at] - '0';
        }
        return negative ? -value : value;
    }

    private static long power(int digits) {
        long power = 1;
        for (int i = 0; i < digits; i++) {
            power *= 10;
        }
        return power;
    }
}
