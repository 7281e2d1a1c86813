package io.weft.core;

import java.io.IOException;
import java.util.Arrays;

/** What one pass over one file of lines finds: their sum, their order as unsigned bytes, the first and the last. */
final class LineScan {
    final String file;
    final LineSum sum = new LineSum();
    /** The first line that is less than the one before it, or -1. */
    long misordered = -1;
    /** Null when there is no line. */
    byte[] first;
    byte[] last = {};

    private LineScan(String file) {
        this.file = file;
    }

    /**
     * Reads a file to its end.
     *
     * @throws WrongInput when the last line has no end
     */
    static LineScan of(Store.Input file, Progress progress) throws IOException {
        LineScan scan = new LineScan(file.name());
        int lastLength = 0;
        try (Lines lines = new Lines(file)) {
            while (lines.next()) {
                int end = lines.offset + lines.length;
                scan.sum.line(lines.bytes, lines.offset, lines.length);
                if (scan.first == null) {
                    scan.first = Arrays.copyOfRange(lines.bytes, lines.offset, end);
                } else if (scan.misordered < 0
                        && Arrays.compareUnsigned(scan.last, 0, lastLength, lines.bytes, lines.offset, end) > 0) {
                    scan.misordered = scan.sum.lines() - 1;
                }
                lastLength = lines.length;
                scan.last = scan.last.length < lastLength ? new byte[2 * lastLength] : scan.last;
                System.arraycopy(lines.bytes, lines.offset, scan.last, 0, lastLength);
            }
        }
        scan.last = Arrays.copyOf(scan.last, lastLength);
        progress.add(file.length());
        return scan;
    }
}
