package io.weft.stream;

/**
 * A part of a run in which every producer publishes at a fixed rate. Each record has a moment at which it should be
 * sent, however late the producer is.
 *
 * @param number from 0
 * @param first number of the first record of each producer
 * @param each records of each producer
 * @param beginMicros the moment of the first record, since 1970
 * @param rate records per second of each producer
 * @param eventMillis the event time of the first record, where records have one, in milliseconds since 1970
 */
public record Step(int number, long first, long each, long beginMicros, double rate, long eventMillis) {
    private static final String NAME = "step";

    /** A step of records without an event time. */
    public Step(int number, long first, long each, long beginMicros, double rate) {
        this(number, first, each, beginMicros, rate, 0);
    }

    /** The moment of a record, in microseconds since 1970; producers take turns. */
    public long intended(int producer, int producers, long record) {
        return beginMicros + (long) ((record - first + (double) producer / producers) * 1e6 / rate);
    }

    /** Event time passes as the schedule does: milliseconds since 1970. */
    public long eventMillis(int producer, int producers, long record) {
        return eventMillis + (intended(producer, producers, record) - beginMicros) / 1000;
    }

    /** Where the event time of a following step begins. */
    public long endMillis() {
        return eventMillis + (long) Math.ceil(each * 1e3 / rate);
    }

    /** The moment of its last record. */
    public long lastMicros(int producers) {
        return intended(producers - 1, producers, first + each - 1);
    }

    /** As a message. */
    public String message() {
        return String.join(" ", NAME, "" + number, "" + first, "" + each, "" + beginMicros, "" + rate, "" + eventMillis);
    }

    /** The step of a message, or null if it is another one. */
    public static Step of(String message) {
        String[] words = message.split(" ");
        return words[0].equals(NAME) ? new Step(Integer.parseInt(words[1]), Long.parseLong(words[2]),
                Long.parseLong(words[3]), Long.parseLong(words[4]), Double.parseDouble(words[5]), Long.parseLong(words[6]))
                : null;
    }
}
