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
 */
public record Step(int number, long first, long each, long beginMicros, double rate) {
    private static final String NAME = "step";

    /** The moment of a record, in microseconds since 1970; producers take turns. */
    public long intended(int producer, int producers, long record) {
        return beginMicros + (long) ((record - first + (double) producer / producers) * 1e6 / rate);
    }

    /** The moment of its last record. */
    public long lastMicros(int producers) {
        return intended(producers - 1, producers, first + each - 1);
    }

    /** As a message. */
    public String message() {
        return String.join(" ", NAME, "" + number, "" + first, "" + each, "" + beginMicros, "" + rate);
    }

    /** The step of a message, or null if it is another one. */
    public static Step of(String message) {
        String[] words = message.split(" ");
        return words[0].equals(NAME) ? new Step(Integer.parseInt(words[1]), Long.parseLong(words[2]),
                Long.parseLong(words[3]), Long.parseLong(words[4]), Double.parseDouble(words[5])) : null;
    }
}
