package io.weft.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs tasks on a number of threads and gives their results in order. */
public final class Parallel {
    private Parallel() {
    }

    /** The default number of threads: one for each processor the JVM may use. */
    public static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** All results, in the order of the tasks; the first failure in that order is thrown, and tasks that have not begun then do not. */
    public static <T> List<T> run(int threads, List<? extends Callable<T>> tasks) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (Callable<T> task : tasks) {
                futures.add(pool.submit(task));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } catch (ExecutionException error) {
            throw error.getCause() instanceof Exception cause ? cause : error;
        } finally {
            pool.shutdownNow();
        }
    }
}
