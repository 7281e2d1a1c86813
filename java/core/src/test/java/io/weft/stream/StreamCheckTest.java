package io.weft.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Outcome;
import io.weft.core.UsageError;
import io.weft.core.WrongInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class StreamCheckTest {
    private static final StreamSpec SPEC = new StreamSpec(2, 80, 8, 1, 42);
    private static final long EACH = 500_000;
    private static final long BAD = 333_333;
    private static final int WINDOW = 1000;

    /** What is wrong with one record in a million. */
    private enum Fault {
        NONE, PRODUCER_DROPS, PRODUCER_REPEATS, PRODUCER_CHANGES, ENGINE_DROPS, ENGINE_REPEATS, ENGINE_TAKES_ITS_NEIGHBOUR,
        LAST_RESULT_IS_MISSING
    }

    @Test
    void aStreamWithoutARecordIsWrong() {
        Outcome outcome = new Outcome();
        new StreamCheck(SPEC, 0, outcome).finish();
        assertEquals("no producer was asked for records", outcome.reason());
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void oneRecordInAMillionIsEnough(Fault fault) {
        Outcome outcome = new Outcome();
        StreamCheck check = new StreamCheck(SPEC, EACH, outcome);
        for (int producer = 0; producer < SPEC.producers(); producer++) {
            for (long number = 0; number < EACH; number++) {
                boolean bad = producer == 1 && number == BAD;
                byte[] record = SPEC.record(producer, number);
                if (bad && fault == Fault.PRODUCER_CHANGES) {
                    record[12] ^= 1;
                }
                if (!bad || fault != Fault.PRODUCER_DROPS) {
                    check.published(producer, record);
                }
                if (bad && fault == Fault.PRODUCER_REPEATS) {
                    check.published(producer, record);
                }
            }
        }
        StreamTotals engine = new StreamTotals(SPEC.producers());
        for (long number = 0; number < EACH; number++) {
            for (int producer = 0; producer < SPEC.producers(); producer++) {
                boolean bad = producer == 1 && number == BAD;
                long value = StreamSpec.parse(SPEC.record(producer, number), SPEC.field());
                if (bad && fault == Fault.ENGINE_TAKES_ITS_NEIGHBOUR) {
                    value = SPEC.value(producer, number + 1);
                }
                for (int times = bad ? times(fault) : 1; times > 0; times--) {
                    engine.add(producer, value);
                }
            }
            boolean last = number == EACH - 1;
            if (number % WINDOW == WINDOW - 1 && !(last && fault == Fault.LAST_RESULT_IS_MISSING)) {
                check.result(copy(engine));
            }
        }
        check.finish();
        assertEquals(fault == Fault.NONE, outcome.valid(), outcome.reason());
        String expected = switch (fault) {
            case NONE -> "";
            case PRODUCER_DROPS -> "record 333333 of producer 1 in the brokers' log is missing";
            case PRODUCER_REPEATS ->
                "record 333334 of producer 1 in the brokers' log is there twice: record 333333 again";
            case PRODUCER_CHANGES -> "record 333333 of producer 1 in the brokers' log differs from the generator's";
            case LAST_RESULT_IS_MISSING -> "the last result counts 499000 records of producer 0 instead of 500000";
            default -> "result 334 is ";
        };
        assertTrue(outcome.reason().startsWith(expected), outcome.reason());
    }

    private static int times(Fault fault) {
        return switch (fault) {
            case ENGINE_DROPS -> 0;
            case ENGINE_REPEATS -> 2;
            default -> 1;
        };
    }

    private static StreamTotals copy(StreamTotals totals) {
        try {
            return StreamTotals.parse(totals.line(), SPEC.producers());
        } catch (WrongInput error) {
            throw new AssertionError(error);
        }
    }

    @Test
    void anEngineMayRepeatResultsFromACheckpoint() {
        Outcome outcome = new Outcome();
        StreamSpec one = new StreamSpec(1, 20, 1, 0, 7);
        StreamCheck check = new StreamCheck(one, 100, outcome);
        for (long number = 0; number < 100; number++) {
            check.published(0, one.record(0, number));
        }
        for (long until : new long[] {40, 80, 50, 80, 100}) {
            StreamTotals totals = new StreamTotals(1);
            for (long number = 0; number < until; number++) {
                totals.add(0, one.value(0, number));
            }
            check.result(totals);
        }
        check.finish();
        assertTrue(outcome.valid(), outcome.reason());
        assertEquals(1L, outcome.get("repeated_results"));
    }

    @Test
    void aCountBeyondWhatWasPublishedIsWrong() {
        Outcome outcome = new Outcome();
        StreamSpec one = new StreamSpec(1, 20, 1, 0, 7);
        StreamCheck check = new StreamCheck(one, 1, outcome);
        check.published(0, one.record(0, 0));
        StreamTotals totals = new StreamTotals(1);
        totals.add(0, one.value(0, 0));
        totals.add(0, one.value(0, 1));
        check.result(totals);
        assertEquals("result 1 counts 2 records of producer 0, which published 1", outcome.reason());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 19})
    void aRecordHasItsLengthAndTheNumbersOfItsSeed(int values) {
        StreamSpec spec = new StreamSpec(2, 80, values, 0, 3);
        boolean negative = false;
        boolean positive = false;
        for (long number = 0; number < 100; number++) {
            byte[] record = spec.record(1, number);
            assertEquals(80, record.length);
            for (int place = 0; place < values; place++) {
                long value = spec.value(1, number, place);
                assertEquals(value, StreamSpec.parse(record, place));
                negative |= value < 0;
                positive |= value > 0;
            }
        }
        assertTrue(negative && positive);
    }

    @Test
    void recordsThatDoNotHoldTheirNumbersAreRefused() {
        assertThrows(UsageError.class, () -> new StreamSpec(1, 80, 21, 0, 0));
        assertThrows(UsageError.class, () -> new StreamSpec(1, 80, 8, 8, 0));
    }

    @Test
    void aStepIsTheSameAfterItsMessage() {
        Step step = new Step(3, 500, 200, 1_700_000_000_000_000L, 1000);
        assertEquals(step, Step.of(step.message()));
        assertEquals(null, Step.of(Control.READY));
        assertEquals(1_700_000_000_000_500L, step.intended(1, 2, 500));
        assertEquals(1_700_000_000_001_000L, step.intended(0, 2, 501));
    }

    @Test
    void totalsOfNothingAreInfinite() {
        assertEquals(Long.MAX_VALUE + " " + Long.MIN_VALUE + " 0 0 0", new StreamTotals(2).line());
    }

    @Test
    void totalsOfPartsAreThoseOfAll() throws WrongInput {
        StreamTotals all = new StreamTotals(2);
        StreamTotals one = new StreamTotals(2);
        StreamTotals other = new StreamTotals(2);
        for (long number = 0; number < 50; number++) {
            all.add((int) number % 2, SPEC.value(0, number));
            (number % 3 == 0 ? one : other).add((int) number % 2, SPEC.value(0, number));
        }
        assertEquals(all.line(), one.merge(other).merge(new StreamTotals(2)).line());
        assertEquals(all.line(), StreamTotals.parse(all.line(), 2).line());
        assertThrows(WrongInput.class, () -> StreamTotals.parse("1 2 3", 2));
        assertThrows(WrongInput.class, () -> StreamTotals.parse("1 2 x 3 4", 2));
    }
}
