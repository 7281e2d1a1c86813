package io.weft.core;

import java.io.IOException;

/** What one pass over one part file finds: rows, their sum, order, equal neighbours, first and last key. */
final class TeraScan {
    private static final int BATCH = 10_000 * TeraRecord.LENGTH;

    final String file;
    final RecordSum sum = new RecordSum();
    /** Rows whose key equals the key before them. */
    long duplicates;
    long rows;
    /** The first row whose key is less than the one before it, or -1. */
    long misordered = -1;
    long firstPrefix;
    int firstSuffix;
    long lastPrefix;
    int lastSuffix;

    private TeraScan(String file) {
        this.file = file;
    }

    /**
     * Reads a file to its end.
     *
     * @throws WrongInput when its length is no multiple of the record length
     */
    static TeraScan of(Store.Input file, Progress progress) throws IOException {
        TeraScan scan = new TeraScan(file.name());
        long size = file.length();
        if (size % TeraRecord.LENGTH != 0) {
            throw new WrongInput("The file " + file.name() + " has " + size
                    + " bytes, which is no multiple of the record length 100.");
        }
        byte[] bytes = new byte[BATCH];
        try (Store.Reader in = Store.of(file.name()).open(file.name())) {
            for (long done = 0; done < size; done += BATCH) {
                int length = (int) Math.min(BATCH, size - done);
                in.read(done, bytes, length);
                scan.batch(bytes, length);
                progress.add(length);
            }
        }
        return scan;
    }

    private void batch(byte[] bytes, int length) {
        for (int at = 0; at < length; at += TeraRecord.LENGTH) {
            sum.add(bytes, at);
            key(TeraRecord.prefix(bytes, at), TeraRecord.suffix(bytes, at));
        }
    }

    private void key(long prefix, int suffix) {
        if (rows == 0) {
            firstPrefix = prefix;
            firstSuffix = suffix;
        } else {
            int step = TeraRecord.compare(lastPrefix, lastSuffix, prefix, suffix);
            if (step == 0) {
                duplicates++;
            } else if (step > 0 && misordered < 0) {
                misordered = rows;
            }
        }
        lastPrefix = prefix;
        lastSuffix = suffix;
        rows++;
    }
}
