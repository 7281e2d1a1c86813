package io.weft.job;

import java.math.BigDecimal;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A limit on the time of work that the calling thread does. */
final class TimeLimit {
    private static final long LAST_SECONDS = 10;

    private TimeLimit() {
    }

    /** Ends the work of a thread; called by another one, and interrupted when the work has ended. */
    interface End {
        void end(Thread worker) throws Exception;
    }

    /** The work took longer. */
    static final class Exceeded extends Exception {
        private static final long serialVersionUID = 1;

        Exceeded(double seconds) {
            super("it did not end within " + BigDecimal.valueOf(seconds).stripTrailingZeros().toPlainString() + " s");
        }
    }

    /** Does work; after so many seconds it is ended, and counts as failed even if it succeeds then. 0: no limit. */
    static <T> T run(double seconds, Callable<T> work, End end) throws Exception {
        if (seconds == 0) {
            return work.call();
        }
        Thread worker = Thread.currentThread();
        AtomicBoolean late = new AtomicBoolean();
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        clock.schedule(() -> {
            late.set(true);
            end.end(worker);
            return null;
        }, Math.round(seconds * 1000), TimeUnit.MILLISECONDS);
        T done = null;
        try {
            done = work.call();
        } catch (Exception error) {
            if (!late.get()) {
                throw error;
            }
        } finally {
            // an interrupt that comes after the work has ended is not meant for what follows
            Thread.interrupted();
            clock.shutdownNow();
            clock.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS);
            Thread.interrupted();
        }
        if (late.get()) {
            throw new Exceeded(seconds);
        }
        return done;
    }
}
