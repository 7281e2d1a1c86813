package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WatermarkLagTest {
    private static final UUID QUERY = new UUID(0, 1);

    private final WatermarkLag lag = new WatermarkLag();

    private void batch(UUID query, long id, String latest, String watermark) {
        lag.note(query, id, Map.of("max", "2015-07-15T" + latest + "Z", "watermark", watermark));
    }

    @Test
    void theFirstMicroBatchHasNoWatermarkAndCountsFromTheFirstEvent() {
        batch(QUERY, 0, "00:00:07.500", "1970-01-01T00:00:00.000Z");
        assertEquals(7.5, lag.seconds());
    }

    @Test
    void aMicroBatchDropsEventsByTheWatermarkOfTheOneBefore() {
        batch(QUERY, 0, "00:00:02.000", "1970-01-01T00:00:00.000Z");
        batch(QUERY, 1, "00:00:12.000", "2015-07-15T00:00:01.000Z");
        assertEquals(12, lag.seconds());
        batch(QUERY, 2, "00:00:33.000", "2015-07-15T00:00:11.000Z");
        assertEquals(32, lag.seconds());
    }

    @Test
    void theSameMicroBatchAgainAndOneWithoutEventsChangeNothing() {
        batch(QUERY, 0, "00:00:02.000", "1970-01-01T00:00:00.000Z");
        lag.note(QUERY, 1, Map.of("watermark", "2015-07-15T00:00:01.000Z"));
        batch(QUERY, 0, "00:00:50.000", "1970-01-01T00:00:00.000Z");
        batch(QUERY, 2, "00:00:04.000", "2015-07-15T00:00:03.000Z");
        assertEquals(3, lag.seconds());
    }

    @Test
    void theLongestLagOfAllQueriesCounts() {
        batch(QUERY, 0, "00:00:02.000", "1970-01-01T00:00:00.000Z");
        batch(new UUID(0, 2), 0, "00:00:05.000", "1970-01-01T00:00:00.000Z");
        assertEquals(5, lag.seconds());
    }
}
