package io.weft.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Work that takes too long is ended and counts as failed; other work is not touched. */
class TimeLimitTest {
    @Test
    void workThatTakesTooLongIsEnded() {
        CountDownLatch never = new CountDownLatch(1);
        Exception late = assertThrows(TimeLimit.Exceeded.class, () -> TimeLimit.run(0.05, () -> {
            never.await();
            return null;
        }, Thread::interrupt));
        assertEquals("it did not end within 0.05 s", late.getMessage());
        assertFalse(Thread.currentThread().isInterrupted());
    }

    @Test
    void workThatEndsOnlyWhenAskedToCountsAsFailed() {
        CountDownLatch asked = new CountDownLatch(1);
        Exception late = assertThrows(TimeLimit.Exceeded.class, () -> TimeLimit.run(0.05, () -> {
            asked.await();
            return null;
        }, worker -> asked.countDown()));
        assertEquals("it did not end within 0.05 s", late.getMessage());
    }

    @Test
    void workInTimeIsNotEndedAndKeepsItsFailure() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        TimeLimit.run(1000, () -> null, worker -> ended.countDown());
        TimeLimit.run(0, () -> null, worker -> ended.countDown());
        assertThrows(IllegalStateException.class, () -> TimeLimit.run(1000, () -> {
            throw new IllegalStateException("its own");
        }, worker -> ended.countDown()));
        assertEquals(1, ended.getCount());
    }
}
