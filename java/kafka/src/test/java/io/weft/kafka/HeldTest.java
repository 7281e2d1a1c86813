package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.weft.core.WrongInput;
import io.weft.stream.Step;
import io.weft.stream.StreamTotals;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldTest {
    private final Held held = new Held(2);
    private final Latencies latencies = new Latencies(new Step(0, 0, 10, 1_700_000_000_000_000L, 100), 2);

    private long receive(long first, long second) throws WrongInput {
        StreamTotals totals = new StreamTotals(2);
        totals.counts[0] = first;
        totals.counts[1] = second;
        return held.receive(totals, 1_700_000_001_000_000L, latencies);
    }

    @Test
    void recordsCountOnceHoweverOftenTheyAreInAResult() throws Exception {
        held.publish(10);
        assertEquals(7, receive(3, 4));
        assertEquals(0, receive(3, 4));
        assertEquals(13, receive(10, 10));
        assertEquals(List.of(0L, 0L), List.of(held.missing(), held.fallbacks()));
        assertEquals(20L, latencies.report().get("records"));
    }

    @Test
    void aResultThatHoldsLessIsAFallback() throws Exception {
        held.publish(10);
        receive(5, 5);
        assertEquals(0, receive(5, 2));
        assertEquals(1, receive(6, 2));
        assertEquals(List.of(2L, 9L), List.of(held.fallbacks(), held.missing()));
    }

    @Test
    void aResultOfMoreThanWasPublishedIsRefused() {
        held.publish(10);
        assertEquals("A result counts 11 records of producer 1, which published 10.",
                assertThrows(WrongInput.class, () -> receive(10, 11)).getMessage());
    }
}
