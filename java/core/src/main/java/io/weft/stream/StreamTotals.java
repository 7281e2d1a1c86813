package io.weft.stream;

import io.weft.core.WrongInput;
import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What an engine keeps: the least, the greatest and the sum of all numbers, and how many records of each producer. */
public final class StreamTotals implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int BEFORE_COUNTS = 3;

    // public and not final: Flink serializes such classes field by field
    public long min = Long.MAX_VALUE;
    public long max = Long.MIN_VALUE;
    public long sum;
    public long[] counts;

    public StreamTotals() {
        this(0);
    }

    public StreamTotals(int producers) {
        counts = new long[producers];
    }

    /** Adds a record. */
    public void add(int producer, long value) {
        add(producer, value, value, value, 1);
    }

    /** Adds so many records of a producer. */
    public void add(int producer, long least, long greatest, long total, long records) {
        min = Math.min(min, least);
        max = Math.max(max, greatest);
        sum += total;
        counts[producer] += records;
    }

    /** Adds other totals. */
    public StreamTotals merge(StreamTotals other) {
        for (int producer = 0; producer < counts.length; producer++) {
            add(producer, other.min, other.max, 0, other.counts[producer]);
        }
        sum += other.sum;
        return this;
    }

    /** Records of all producers. */
    public long count() {
        return Arrays.stream(counts).sum();
    }

    /** A line: least, greatest, sum, and the records of each producer. */
    public String line() {
        return min + " " + max + " " + sum + " "
                + Arrays.stream(counts).mapToObj(Long::toString).collect(Collectors.joining(" "));
    }

    /** @throws WrongInput when a line is none of so many producers */
    public static StreamTotals parse(String line, int producers) throws WrongInput {
        String[] numbers = line.split(" ");
        if (numbers.length != producers + BEFORE_COUNTS) {
            throw new WrongInput("A result has " + numbers.length + " numbers instead of "
                    + (producers + BEFORE_COUNTS) + ".");
        }
        StreamTotals totals = new StreamTotals(producers);
        try {
            totals.min = Long.parseLong(numbers[0]);
            totals.max = Long.parseLong(numbers[1]);
            totals.sum = Long.parseLong(numbers[2]);
            for (int i = 0; i < producers; i++) {
                totals.counts[i] = Long.parseLong(numbers[BEFORE_COUNTS + i]);
            }
        } catch (NumberFormatException error) {
            throw new WrongInput("A result is no line of whole numbers: " + error.getMessage());
        }
        return totals;
    }
}
