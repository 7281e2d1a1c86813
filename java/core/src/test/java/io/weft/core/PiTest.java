package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pi's points one by one, and their number found by boxes. */
class PiTest {
    /** What Hadoop's pi prints for this number of points, in its documentation and in many books. */
    @ParameterizedTest
    @CsvSource({"20,3.8", "1000,3.148", "10000,3.1408", "16000,3.1425", "1600000,3.141575"})
    void theEstimateIsHadoops(long points, double pi) {
        assertEquals(pi, 4.0 * Halton.count(0, points) / points);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 7, 100, 65_536, 1_000_000, 2_345_678})
    void bothWaysCountTheSame(long points) {
        assertEquals(Halton.count(0, points), PiAnswer.inside(points));
    }

    @Test
    void anySplitGivesTheSameSum() {
        long sum = 0;
        for (int i = 0; i < 13; i++) {
            sum += Halton.count(100_000L * i / 13, 100_000L * (i + 1) / 13);
        }
        assertEquals(Halton.count(0, 100_000), sum);
    }

    @Test
    void farRangesAreCountedExactly() {
        long far = 800_000_000_000L;
        assertEquals(PiAnswer.inside(far + 50_000) - PiAnswer.inside(far), Halton.count(far, far + 50_000));
    }

    @Test
    void theInverseReversesDigits() {
        assertEquals(Halton.Y_UNITS / 3 * 2 + Halton.Y_UNITS / 9, Halton.inverse3(2 + 3));
        assertEquals(Halton.X_UNITS / 2 + Halton.X_UNITS / 8, Halton.inverse2(0b101));
    }
}
