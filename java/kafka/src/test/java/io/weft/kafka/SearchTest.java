package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SearchTest {
    /** The rates that were tried, where all up to the highest are kept. */
    private static List<Double> tried(double first, double highest) {
        Search search = new Search(first);
        List<Double> rates = new ArrayList<>();
        while (search.more()) {
            rates.add(search.next());
            search.tried(search.next() <= highest);
        }
        return rates;
    }

    @ParameterizedTest
    @ValueSource(doubles = {4, 77, 1000, 1999, 123_456, 9e6})
    void theHighestRateIsBracketedByFifteenPercent(double highest) {
        List<Double> rates = tried(1000, highest);
        double kept = rates.stream().filter(rate -> rate <= highest).mapToDouble(rate -> rate).max().orElseThrow();
        double missed = rates.stream().filter(rate -> rate > highest).mapToDouble(rate -> rate).min().orElseThrow();
        assertTrue(missed / kept <= 1.15, kept + " to " + missed);
        assertTrue(rates.size() < 30, rates.toString());
    }

    @Test
    void ratesAreDoubledUntilOneIsMissedAndThenTheDistanceIsHalved() {
        List<Double> rates = tried(1000, 5000);
        assertEquals(List.of(1000.0, 2000.0, 4000.0, 8000.0), rates.subList(0, 4));
        assertEquals(Math.sqrt(4000.0 * 8000), rates.get(4));
    }

    @Test
    void aRateThatWasMissedOnceByChanceDoesNotEndTheSearchBelowIt() {
        Search search = new Search(1000);
        List<Double> rates = new ArrayList<>();
        while (search.more()) {
            rates.add(search.next());
            // the engine is cold at first, and keeps up to 3000 later
            search.tried(rates.size() > 1 && search.next() <= 3000);
        }
        List<Double> kept = rates.stream().skip(1).filter(rate -> rate <= 3000).toList();
        assertEquals(List.of(1000.0, 250.0, 500.0), rates.subList(0, 3));
        assertTrue(kept.get(kept.size() - 1) > 3000 / 1.15, rates.toString());
        assertEquals(rates.get(rates.size() - 1), rates.stream().filter(rate -> rate > 3000).min(Double::compare).orElseThrow());
    }

    @Test
    void whereNoRateIsKeptItEndsAtOneRecordPerSecond() {
        assertEquals(List.of(1000.0, 250.0, 62.5, 15.625, 3.90625), tried(1000, 0));
        Search search = new Search(2);
        search.tried(false);
        assertFalse(search.more());
        assertEquals(2, search.missed());
    }
}
