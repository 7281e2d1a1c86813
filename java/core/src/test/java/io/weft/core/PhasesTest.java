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
}
