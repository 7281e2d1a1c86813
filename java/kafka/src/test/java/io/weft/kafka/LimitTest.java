package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LimitTest {
    @Test
    void producersThatSendLateAreTheLimit() {
        assertEquals(Limit.PRODUCER, Limit.of(5_000_000, 4_900_000, 20_000, 0.01));
    }

    @Test
    void producersThatAreLateBecauseTheyWaitForBrokersAreNot() {
        assertEquals(Limit.BROKER, Limit.of(5_000_000, 4_900_000, 20_000, 0.9));
    }

    @Test
    void acknowledgementsThatTakeLongAreTheBrokers() {
        assertEquals(Limit.BROKER, Limit.of(5_000_000, 1000, 4_000_000, 0));
    }

    @Test
    void whatIsInTheLogAndInNoResultWaitsForTheEngine() {
        assertEquals(Limit.ENGINE, Limit.of(5_000_000, 1000, 3000, 0));
    }
}
