package io.weft.stream;

import io.weft.core.Outcome;
import java.util.Arrays;

/**
 * Compares what is in the topics with the generator's formula, without an engine. Every result, not only the last, must
 * be the answer for the records that it says it holds.
 */
public final class StreamCheck {
    private final StreamSpec spec;
    private final long each;
    private final Outcome outcome;
    /** Of each producer: records of the log so far. */
    private final long[] published;
    /** The answer for the first records of each producer. */
    private StreamTotals right;
    private StreamTotals last;
    private long results;
    private long repeated;
    private String wrong = "";

    /** @param each records of each producer */
    public StreamCheck(StreamSpec spec, long each, Outcome outcome) {
        this.spec = spec;
        this.each = each;
        this.outcome = outcome;
        published = new long[spec.producers()];
        right = new StreamTotals(spec.producers());
        last = new StreamTotals(spec.producers());
    }

    /** The next record of a producer in the brokers' log. */
    public void published(int producer, byte[] record) {
        long number = published[producer]++;
        if (!wrong.isEmpty() || number < each && Arrays.equals(record, spec.record(producer, number))) {
            return;
        }
        String where = "record " + number + " of producer " + producer + " in the brokers' log ";
        if (number > 0 && Arrays.equals(record, spec.record(producer, number - 1))) {
            wrong(where + "is there twice: record " + (number - 1) + " again");
        } else if (Arrays.equals(record, spec.record(producer, number + 1))) {
            wrong(where + "is missing");
        } else {
            wrong(where + "differs from the generator's");
        }
    }

    /** The next result of the engine. */
    public void result(StreamTotals found) {
        results++;
        if (!wrong.isEmpty()) {
            return;
        }
        for (int producer = 0; producer < spec.producers(); producer++) {
            if (found.counts[producer] > each) {
                wrong("result " + results + " counts " + found.counts[producer] + " records of producer " + producer
                        + ", which published " + each);
                return;
            }
        }
        if (fellBack(found)) {
            // after a failure the engine continues from its last checkpoint, and repeats results; who judges knows of failures
            repeated++;
            right = new StreamTotals(spec.producers());
        }
        extend(found.counts);
        if (!right.line().equals(found.line())) {
            wrong("result " + results + " is " + found.line() + ", the answer for these records is " + right.line()
                    + " (least, greatest, sum, records of each producer)");
        }
        last = found;
    }

    private boolean fellBack(StreamTotals found) {
        for (int producer = 0; producer < spec.producers(); producer++) {
            if (found.counts[producer] < right.counts[producer]) {
                return true;
            }
        }
        return false;
    }

    private void extend(long[] counts) {
        for (int producer = 0; producer < counts.length; producer++) {
            while (right.counts[producer] < counts[producer]) {
                right.add(producer, spec.value(producer, right.counts[producer]));
            }
        }
    }

    /** Puts what was found, when the end of both topics was read. */
    public void finish() {
        if (each == 0) {
            wrong("no producer was asked for records");
        }
        for (int producer = 0; wrong.isEmpty() && producer < spec.producers(); producer++) {
            if (published[producer] != each) {
                wrong("the brokers' log has " + published[producer] + " records of producer " + producer
                        + " instead of " + each);
            } else if (last.counts[producer] != each) {
                wrong("the last result counts " + last.counts[producer] + " records of producer " + producer
                        + " instead of " + each);
            }
        }
        outcome.put("records", Arrays.stream(published).sum()).put("results", results).put("repeated_results", repeated)
                .put("min", last.min).put("max", last.max).put("sum", last.sum).put("count", last.count());
    }

    private void wrong(String reason) {
        wrong = reason;
        outcome.problem(reason);
    }
}
