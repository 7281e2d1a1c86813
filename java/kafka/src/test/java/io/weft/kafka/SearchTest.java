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
    void stepsGrowUntilARateIsMissedAndThenTheDistanceIsHalved() {
        List<Double> rates = tried(1000, 5500);
        List<Double> up = rates.subList(0, 6);
        for (int i = 1; i < up.size(); i++) {
            double step = up.get(i) / up.get(i - 1);
            assertEquals(Math.min(Math.pow(1.14, 1 << (i - 1)), 2), step, 1e-9, rates.toString());
        }
        assertTrue(up.get(4) <= 5500 && up.get(5) > 5500, rates.toString());
        assertEquals(Math.sqrt(up.get(4) * up.get(5)), rates.get(6));
    }

    @ParameterizedTest
    @ValueSource(doubles = {1000, 1130, 880})
    void threeRatesAreTriedWhereTheFirstIsNearlyRight(double highest) {
        assertEquals(3, tried(1000, highest).size());
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
        assertEquals(List.of(1000.0, 1000 / 1.14, 1000.0), rates.subList(0, 3));
        assertTrue(kept.get(kept.size() - 1) > 3000 / 1.15, rates.toString());
        assertEquals(rates.get(rates.size() - 1), rates.stream().filter(rate -> rate > 3000).min(Double::compare).orElseThrow());
    }

    @Test
    void whereNoRateIsKeptItEndsAtOneRecordPerSecond() {
        List<Double> rates = tried(1000, 0);
        double last = rates.get(rates.size() - 1);
        assertTrue(last >= 1 && last < 4 && rates.size() < 10, rates.toString());
        Search search = new Search(1);
        search.tried(false);
        assertFalse(search.more());
        assertEquals(1, search.missed());
    }
}
