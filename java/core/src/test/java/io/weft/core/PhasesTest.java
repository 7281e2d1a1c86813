package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PhasesTest {
    private static final long MILLIS = 50;

    @Test
    void workThatFailsHasTakenItsTimeToo() throws Exception {
        Phases phases = new Phases();
        phases.time("start", () -> null);
        assertEquals(0, phases.measured());
        assertThrows(IllegalStateException.class, () -> phases.measure("queries", () -> {
            Thread.sleep(MILLIS);
            throw new IllegalStateException("too late");
        }));
        double first = phases.measured();
        assertTrue(first >= MILLIS / 1e3, "seconds of a query that failed: " + first);
        phases.measure("queries", () -> 1);
        assertTrue(phases.measured() > first);
    }

    @Test
    void workThatIsKnownLaterThanItEndedHasTheTimeUntilItsEnd() throws Exception {
        Phases phases = new Phases();
        phases.measure("sort", () -> {
            long ended = System.nanoTime();
            Thread.sleep(MILLIS);
            return ended;
        }, Long::longValue);
        assertTrue(phases.measured() >= 0);
        double all = phases.measured();
        long began = System.nanoTime();
        phases.measure("sort", () -> {
            Thread.sleep(MILLIS);
            return began;
        }, Long::longValue);
        assertTrue(phases.measured() <= all, "nothing is added by work that ended when it began");
    }
}
