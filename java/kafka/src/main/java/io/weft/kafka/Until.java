package io.weft.kafka;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.RetriableException;

/** Waits for the brokers. */
final class Until {
    private static final long PAUSE_MILLIS = 50;

    private Until() {
    }

    /**
     * Asks again and again, also after an error that Kafka calls temporary.
     *
     * @param missing what is missing, as text; empty when nothing is
     * @throws IllegalStateException if something is missing after the longest time
     */
    static void complete(Duration longest, Callable<String> missing) throws Exception {
        long begin = System.nanoTime();
        for (String what = asked(missing); !what.isEmpty(); what = asked(missing)) {
            if (System.nanoTime() - begin > longest.toNanos()) {
                throw new IllegalStateException("after " + longest.toSeconds() + " s: " + what);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private static String asked(Callable<String> missing) throws Exception {
        try {
            return missing.call();
        } catch (ExecutionException error) {
            if (error.getCause() instanceof RetriableException temporary) {
                return temporary.toString();
            }
            throw error;
        }
    }
}
