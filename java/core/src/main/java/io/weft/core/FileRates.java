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

    /** What each of {@link #STEPS} took, and how many files were listed after it. */
    record Rates(double[] seconds, long[] listed) {
    }

    /** All steps, with a number of threads. */
    Rates run(int threads) throws Exception {
        for (int thread = 0; thread < threads; thread++) {
            Files.createDirectories(directory.resolve("t" + thread));
        }
        List<Step> steps = List.of(
                (home, file) -> Files.newOutputStream(home.resolve("a" + file)).close(),
                (home, file) -> Files.size(home.resolve("a" + file)),
                (home, file) -> Files.move(home.resolve("a" + file), home.resolve("b" + file)),
                (home, file) -> Files.delete(home.resolve("b" + file)));
        Rates rates = new Rates(new double[steps.size()], new long[steps.size()]);
        for (int step = 0; step < steps.size(); step++) {
            rates.seconds[step] = timed(threads, steps.get(step));
            for (int thread = 0; thread < threads; thread++) {
                rates.listed[step] += listed(directory.resolve("t" + thread));
            }
        }
        new PosixStore().delete(directory.toString());
        return rates;
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

    private static long listed(Path home) throws IOException {
        try (Stream<Path> found = Files.list(home)) {
            return found.count();
        } catch (NoSuchFileException gone) {
            throw new WrongInput(home + " is gone.");
        }
    }
}
