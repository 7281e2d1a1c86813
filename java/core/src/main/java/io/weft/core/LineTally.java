package io.weft.core;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts strings that it finds in lines: what the map side of WordCount and Grep does, on every engine. */
public abstract class LineTally {
    /** Different strings that a task may hold before it has to give them away. */
    private static final int MOST = 1 << 20;

    /** What was found since it was last drained. */
    public final ByteCounts counts = new ByteCounts();

    /** Counts what is in a line, which is given without its end. */
    public abstract void line(byte[] bytes, int offset, int length);

    /** Whether the counts should be drained before the next line. */
    public boolean full() {
        return counts.size() >= MOST;
    }

    /** Counts the matches of a regular expression, or words where it is empty. */
    public static LineTally of(String pattern) {
        return pattern.isEmpty() ? new Words() : new Matches(pattern);
    }

    /** Words: runs of bytes without space, tab, form feed or line end, as Hadoop's WordCount has them. */
    private static final class Words extends LineTally {
        @Override
        public void line(byte[] bytes, int offset, int length) {
            int begin = offset;
            for (int at = offset; at < offset + length; at++) {
                byte b = bytes[at];
                if (b == ' ' || b <= '\r' && (b >= '\t' && b != 11)) {
                    word(bytes, begin, at);
                    begin = at + 1;
                }
            }
            word(bytes, begin, offset + length);
        }

        private void word(byte[] bytes, int begin, int end) {
            if (end > begin) {
                counts.add(bytes, begin, end - begin, 1);
            }
        }
    }

    /** Matches, found one after another in a line, as Hadoop's Grep does; bytes are characters of ISO 8859-1. */
    private static final class Matches extends LineTally {
        private final Line line = new Line();
        private final Matcher matcher;

        Matches(String pattern) {
            matcher = pattern(pattern).matcher(line);
        }

        @Override
        public void line(byte[] bytes, int offset, int length) {
            line.bytes = bytes;
            line.offset = offset;
            line.length = length;
            matcher.reset();
            while (matcher.find()) {
                counts.add(bytes, offset + matcher.start(), matcher.end() - matcher.start(), 1);
            }
        }
    }

    /** @throws UsageError when it is no regular expression, or one that the empty text matches */
    public static Pattern pattern(String text) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(text);
        } catch (java.util.regex.PatternSyntaxException error) {
            throw new UsageError("The pattern " + text + " is no regular expression: " + error.getDescription() + ".");
        }
        if (pattern.matcher("").find()) {
            throw new UsageError("The pattern " + text + " matches the empty text, which is everywhere.");
        }
        return pattern;
    }

    /** A line seen as characters, without a copy. */
    private static final class Line implements CharSequence {
        private byte[] bytes = {};
        private int offset;
        private int length;

        @Override
        public int length() {
            return length;
        }

        @Override
        public char charAt(int index) {
            return (char) (bytes[offset + index] & 0xff);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            Line part = new Line();
            part.bytes = bytes;
            part.offset = offset + start;
            part.length = end - start;
            return part;
        }

        @Override
        public String toString() {
            return new String(bytes, offset, length, java.nio.charset.StandardCharsets.ISO_8859_1);
        }
    }
}
