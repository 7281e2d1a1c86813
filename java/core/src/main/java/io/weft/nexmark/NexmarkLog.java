package io.weft.nexmark;

import io.weft.core.Outcome;
import io.weft.stream.Step;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Compares the brokers' log with the generator: each producer's partition has its events once, in their order. */
public final class NexmarkLog {
    private static final int SHOWN = 120;

    private final NexmarkSpec spec;
    private final List<Step> steps;
    private final NexmarkFiles files;
    private final Outcome outcome;
    private final long[] next;
    private final int[] at;
    private boolean wrong;

    /** @param steps in their order; the last one closes all windows */
    public NexmarkLog(NexmarkSpec spec, List<Step> steps, NexmarkFiles files, Outcome outcome) {
        this.spec = spec;
        this.steps = steps;
        this.files = files;
        this.outcome = outcome;
        next = new long[spec.producers()];
        at = new int[spec.producers()];
    }

    /** Takes the next event of a partition; of those that differ the first one is named. */
    public void published(int producer, byte[] line) throws IOException {
        long record = next[producer];
        Step step = step(producer, record);
        if (wrong || step == null) {
            problem(producer, record, step == null ? "was never asked for" : "");
            return;
        }
        long number = spec.number(producer, record);
        String expected = spec.line(number, spec.time(step, producer, record));
        if (!Arrays.equals(line, expected.getBytes(StandardCharsets.US_ASCII))) {
            problem(producer, record, "is " + begin(new String(line, StandardCharsets.US_ASCII)) + ", expected "
                    + begin(expected));
            return;
        }
        files.add(Kind.of(number), spec.late(step, producer, record), expected);
        next[producer]++;
    }

    /** Enough of a line to find it. */
    private static String begin(String line) {
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "...";
    }

    private Step step(int producer, long record) {
        while (at[producer] < steps.size()
                && record >= steps.get(at[producer]).first() + steps.get(at[producer]).each()) {
            at[producer]++;
        }
        return at[producer] < steps.size() ? steps.get(at[producer]) : null;
    }

    private void problem(int producer, long record, String what) {
        if (!wrong) {
            outcome.problem("event " + record + " of producer " + producer + " in the brokers' log " + what);
        }
        wrong = true;
    }

    /** Puts what was found: the events, and the time that all windows that count have ended by. */
    public void finish() {
        long each = steps.isEmpty() ? 0 : steps.get(steps.size() - 1).first() + steps.get(steps.size() - 1).each();
        if (each == 0) {
            outcome.problem("no producer was asked for events");
        }
        for (int producer = 0; producer < next.length && !wrong; producer++) {
            if (next[producer] < each) {
                problem(producer, next[producer], "is missing");
            }
        }
        outcome.put("events", Arrays.stream(next).sum());
        outcome.put("each", each);
        outcome.put("horizon", steps.isEmpty() ? 0 : steps.get(steps.size() - 1).eventMillis());
    }
}
