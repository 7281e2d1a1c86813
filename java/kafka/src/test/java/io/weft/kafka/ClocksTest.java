package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.stream.Control;
import io.weft.stream.Pong;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClocksTest {
    /** A clock that is ahead by so much; the ping takes some time, and its answer some. */
    private static Control.Message answer(int first, long ahead, long ping, long pong) {
        long sent = 1_700_000_000_000L;
        return new Control.Message(new Pong(0, first, ping + ahead).message(), sent + ping + ahead, sent + ping + pong);
    }

    @Test
    void boundsHoldWhatTheClockIsAhead() {
        Clocks clocks = new Clocks();
        for (long took = 40; took >= 10; took -= 10) {
            assertTrue(clocks.hear(answer(3, 500, took, 2 * took)));
            assertTrue(clocks.hear(answer(0, -200, took, 5)));
        }
        assertEquals(List.of(Map.of("first_producer", 0, "least", -0.205, "most", -0.19),
                Map.of("first_producer", 3, "least", 0.48, "most", 0.51)), clocks.report());
    }

    @Test
    void otherMessagesAreNoAnswers() {
        Clocks clocks = new Clocks();
        assertFalse(clocks.hear(new Control.Message(Control.READY, 1, 2)));
        assertEquals(List.of(), clocks.report());
    }
}
