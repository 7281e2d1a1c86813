package io.weft.kafka;

import io.weft.core.WrongInput;
import io.weft.stream.StreamTotals;

/** Which records are in a result, of all that were published. */
final class Held {
    private final long[] held;
    private long published;
    private long fallbacks;

    Held(int producers) {
        held = new long[producers];
    }

    /** Every producer publishes so many more. */
    void publish(long each) {
        published += each;
    }

    /** Records of each producer. */
    long published() {
        return published;
    }

    /** Results that held less than an earlier one. */
    long fallbacks() {
        return fallbacks;
    }

    /** Records that are in no result. */
    long missing() {
        long count = 0;
        for (long each : held) {
            count += published - each;
        }
        return count;
    }

    /**
     * Takes a result that arrived at a moment; gives how many records it holds that no earlier one did.
     *
     * @throws WrongInput when it counts records that nobody published
     */
    long receive(StreamTotals totals, long now, Latencies latencies) throws WrongInput {
        long more = 0;
        boolean less = false;
        for (int producer = 0; producer < held.length; producer++) {
            less |= totals.counts[producer] < held[producer];
            if (totals.counts[producer] > published) {
                throw new WrongInput("A result counts " + totals.counts[producer] + " records of producer " + producer
                        + ", which published " + published + ".");
            }
            for (; held[producer] < totals.counts[producer]; held[producer]++) {
                latencies.held(producer, held[producer], now);
                more++;
            }
        }
        latencies.result(now, more);
        fallbacks += less ? 1 : 0;
        return more;
    }
}
