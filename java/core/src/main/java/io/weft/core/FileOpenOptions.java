package io.weft.core;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntFunction;
import picocli.CommandLine.Option;

/** What FileOpen is asked to do, which decides what it has to find. */
final class FileOpenOptions {
    @Option(names = "--file-bytes")
    @Bounds(min = 1 << 20, max = 1L << 40)
    long fileBytes = 64 << 20;

    @Option(names = "--read-bytes", split = ",")
    int[] readBytes = {1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304};

    @Option(names = "--reads")
    @Bounds(min = 1, max = 1_000_000)
    int reads = 200;

    @Option(names = "--files")
    @Bounds(min = 1, max = 1_000_000)
    int files = 200;

    @Option(names = "--threads", split = ",")
    int[] threads = {1, 2, 4, 8};

    @Option(names = "--rounds")
    @Bounds(min = 1, max = 1000)
    int rounds = 3;

    @Option(names = "--seed")
    @Bounds(min = 0)
    long seed;

    /** @throws UsageError when a size or a number of threads is not positive */
    void require() {
        requirePositive(readBytes);
        requirePositive(threads);
    }

    private static void requirePositive(int... numbers) {
        if (Arrays.stream(numbers).anyMatch(number -> number <= 0)) {
            throw new UsageError("A list must hold positive numbers, not " + Arrays.toString(numbers) + ".");
        }
    }

    /** The offsets of a round's reads of a size. */
    long[] offsets(KnownFile file, int round, int size) {
        return file.offsets(new Random(round), reads, size);
    }

    /** The name of the answer's line about the reads of a size, with one open for all or with one for each. */
    static String reading(int size, int round, String opens) {
        return "read " + size + " round " + round + " opens " + opens;
    }

    /** The name of the answer's line about a step on the files of some threads. */
    static String step(int threads, int round, String step) {
        return step + " threads " + threads + " round " + round;
    }
}
