package io.weft.core;

import java.util.zip.CRC32;

/** What a text holds: bytes, lines, words where they are given, and the sum of the CRC32 of its lines. */
final class LineSum {
    private final CRC32 crc = new CRC32();
    private final Sum128 sum = new Sum128();
    private long bytes;
    private long lines;
    private long words;

    void words(int more) {
        words += more;
    }

    /** Adds whole lines, each with its end. */
    void lines(byte[] text, int length) {
        int begin = 0;
        for (int at = 0; at < length; at++) {
            if (text[at] == '\n') {
                line(text, begin, at - begin);
                begin = at + 1;
            }
        }
    }

    /** Adds a line, given without its end. */
    void line(byte[] text, int offset, int length) {
        crc.reset();
        crc.update(text, offset, length);
        sum.add(crc.getValue());
        bytes += length + 1L;
        lines++;
    }

    void add(LineSum other) {
        sum.add(other.sum);
        bytes += other.bytes;
        lines += other.lines;
        words += other.words;
    }

    long lines() {
        return lines;
    }

    String hex() {
        return sum.hex();
    }

    void report(Outcome outcome) {
        outcome.put("bytes", bytes).put("lines", lines).put("words", words).put("checksum", hex());
    }
}
