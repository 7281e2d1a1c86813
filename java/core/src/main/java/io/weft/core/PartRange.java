package io.weft.core;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of generators: into how many parts all of the data goes, and which of them this process writes. */
final class PartRange {
    @Option(names = "--parts")
    @Bounds(min = 1, max = 1_000_000)
    int parts = 1;

    @Option(names = "--part-from")
    private int from;

    @Option(names = "--part-to")
    private Integer to;

    @Option(names = "--threads")
    @Bounds(min = 1, max = 1024)
    int threads = Parallel.processors();

    @Option(names = "--output", required = true)
    private String output;

    /** A part: its file, and the elements [first, end) of the whole that it holds. */
    record Part(String file, long first, long end) {
    }

    /** The parts that this process writes, when the whole has a number of elements. */
    List<Part> of(long elements) {
        int last = end();
        if (from < 0 || from > last || last > parts) {
            throw new UsageError("Options --part-from and --part-to must be from 0 to " + parts + " and in order, not "
                    + from + " and " + last + ".");
        }
        List<Part> own = new ArrayList<>();
        for (int part = from; part < last; part++) {
            own.add(new Part(output + "/" + PartFiles.name(part), start(elements, parts, part),
                    start(elements, parts, part + 1)));
        }
        return own;
    }

    private int end() {
        return to == null ? parts : to;
    }

    /** How many elements this process makes, when the whole has a number of them. */
    long count(long elements) {
        return start(elements, parts, end()) - start(elements, parts, from);
    }

    /** The first element of a part, or of another even share. */
    static long start(long elements, int parts, int part) {
        return part * elements / parts;
    }
}
