package io.weft.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Creates, looks at, renames and removes empty files, each thread in a directory of its own, one step after another.
 *
 * @param directory what it works in; must not exist
 * @param files number of files of each thread
 */
record FileRates(Path directory, int files) {
    static final List<String> STEPS = List.of("create", "stat", "rename", "unlink");

    private interface Step {
        void apply(Path directory, int file) throws IOException;
    }

    /** Seconds that each of {@link #STEPS} takes with a number of threads. */
    double[] run(int threads) throws Exception {
        for (int thread = 0; thread < threads; thread++) {
            Files.createDirectories(directory.resolve("t" + thread));
        }
        List<Step> steps = List.of(
                (home, file) -> Files.newOutputStream(home.resolve("a" + file)).close(),
                (home, file) -> Files.size(home.resolve("a" + file)),
                (home, file) -> Files.move(home.resolve("a" + file), home.resolve("b" + file)),
                (home, file) -> Files.delete(home.resolve("b" + file)));
        double[] seconds = new double[steps.size()];
        for (int step = 0; step < seconds.length; step++) {
            seconds[step] = timed(threads, steps.get(step));
            int left = step == seconds.length - 1 ? 0 : files;
            for (int thread = 0; thread < threads; thread++) {
                expect(directory.resolve("t" + thread), left);
            }
        }
        for (int thread = 0; thread < threads; thread++) {
            Files.delete(directory.resolve("t" + thread));
        }
        Files.delete(directory);
        return seconds;
    }

    private double timed(int threads, Step step) throws Exception {
        long began = System.nanoTime();
        Parallel.run(threads, IntStream.range(0, threads).<Callable<Void>>mapToObj(thread -> () -> {
            Path home = directory.resolve("t" + thread);
            for (int file = 0; file < files; file++) {
                step.apply(home, file);
            }
            return null;
        }).toList());
        return (System.nanoTime() - began) / 1e9;
    }

    private static void expect(Path home, int count) throws IOException {
        try (Stream<Path> found = Files.list(home)) {
            long there = found.count();
            if (there != count) {
                throw new WrongInput(home + " lists " + there + " files, " + count + " were left there.");
            }
        } catch (NoSuchFileException gone) {
            throw new WrongInput(home + " is gone.");
        }
    }
}
