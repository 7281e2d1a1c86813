package io.weft.core;

import java.io.Serializable;
import java.util.stream.Stream;

/**
 * What an operation on one file took.
 *
 * @param number which file
 * @param bytes moved
 * @param openNanos until the file was open, which TestDFSIO does not count
 * @param nanos of the reads or writes and of closing, which is TestDFSIO's time of a task
 * @param crc CRC32 of what was moved
 */
public record DfsioTiming(int number, long bytes, long openNanos, long nanos, long crc) implements Serializable {
    /** One line of text. */
    public String text() {
        return number + " " + bytes + " " + openNanos + " " + nanos + " " + crc;
    }

    /** The timing of a line of text. */
    public static DfsioTiming of(String text) {
        long[] words = Stream.of(text.split(" ")).mapToLong(Long::parseLong).toArray();
        return new DfsioTiming((int) words[0], words[1], words[2], words[3], words[4]);
    }

    /** Adds what was moved to an answer. */
    public void put(Answer answer) {
        answer.put("file " + number, bytes, crc);
    }

    /** Bytes a second. */
    double rate() {
        return bytes * 1e9 / Math.max(1, nanos);
    }
}
