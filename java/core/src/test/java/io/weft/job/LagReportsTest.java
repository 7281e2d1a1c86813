package io.weft.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.weft.stream.Control;
import io.weft.stream.Lag;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class LagReportsTest {
    private static final TopicPartition FIRST = new TopicPartition("events", 0);
    private static final TopicPartition SECOND = new TopicPartition("events", 1);

    @Test
    void recordsThatAreNotConsumedWaitAndAPartitionThatIsNotBegunWaitsWhole() {
        assertEquals(30 + 50, LagReports.waiting(Map.of(FIRST, 100L, SECOND, 50L), Map.of(FIRST, 70L)));
    }

    @Test
    void aLagIsWhatItsMessageSays() {
        Lag lag = new Lag(1_700_000_000_000_000L, 12);
        assertEquals(lag, Lag.of(lag.message()));
        assertNull(Lag.of(Control.READY));
    }
}
