package io.weft.core;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Divides lines into ranges: the range of a line is the number of splitters that are not above it, as unsigned bytes.
 */
public final class LineRanges implements Serializable {
    private static final long serialVersionUID = 1L;
    /** Bytes read at one place. */
    private static final int PLACE = 8192;
    private static final int PLACES_A_RANGE = 8;
    private static final int LEAST_PLACES = 32;
    private static final int MOST_PLACES = 4096;

    private final byte[][] splitters;

    private LineRanges(byte[][] splitters) {
        this.splitters = splitters;
    }

    /** Ranges from the splitters that {@link #splitters} gave. */
    public static LineRanges of(byte[][] splitters) {
        return new LineRanges(splitters);
    }

    /** Ranges that hold about equally many of the sampled lines; equal lines may leave some of them empty. */
    static LineRanges of(List<byte[]> sample, int ranges) {
        byte[][] sorted = sample.toArray(byte[][]::new);
        Arrays.sort(sorted, Arrays::compareUnsigned);
        byte[][] splitters = new byte[sorted.length == 0 ? 0 : ranges - 1][];
        for (int i = 0; i < splitters.length; i++) {
            splitters[i] = sorted[(int) ((i + 1L) * sorted.length / ranges)];
        }
        return new LineRanges(splitters);
    }

    /** Samples the files of a directory at places spread evenly; the same input gives the same ranges. */
    public static LineRanges sample(String directory, int ranges) throws IOException {
        List<Store.Input> files = TextSplit.files(directory);
        long total = files.stream().mapToLong(Store.Input::length).sum();
        int places = Math.min(MOST_PLACES, Math.max(LEAST_PLACES, PLACES_A_RANGE * ranges));
        List<byte[]> sample = new ArrayList<>();
        long before = 0;
        int place = 0;
        for (Store.Input file : files) {
            for (; place < places && total * place / places < before + file.length(); place++) {
                take(file, total * place / places - before, sample);
            }
            before += file.length();
        }
        return of(sample, ranges);
    }

    private static void take(Store.Input file, long from, List<byte[]> sample) throws IOException {
        try (Lines lines = new Lines(file, from, Math.min(from + PLACE, file.length()), 2 * PLACE)) {
            while (lines.next()) {
                sample.add(Arrays.copyOfRange(lines.bytes, lines.offset, lines.offset + lines.length));
            }
        }
    }

    /** What divides the ranges, ascending. */
    public byte[][] splitters() {
        return splitters;
    }

    /** The range of a line, from 0. */
    public int range(byte[] line, int offset, int length) {
        int low = 0;
        int high = splitters.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(splitters[middle], 0, splitters[middle].length,
                    line, offset, offset + length) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
