package io.weft.kafka;

/**
 * What a producer observed in a step, medians over its last quarter.
 *
 * @param lateMicros from the intended moment of a record to the call that sends it
 * @param ackMicros from there to the brokers' acknowledgement
 * @param blocked share of the step in which that call waited, for memory that waits for acknowledgements
 */
record Published(int step, int producer, long lateMicros, long mostLateMicros, long ackMicros, double blocked) {
    private static final String NAME = "published";

    String message() {
        return String.join(" ", NAME, "" + step, "" + producer, "" + lateMicros, "" + mostLateMicros,
                "" + ackMicros, "" + blocked);
    }

    /** What a message says, or null if it is another one. */
    static Published of(String message) {
        String[] words = message.split(" ");
        return words[0].equals(NAME) ? new Published(Integer.parseInt(words[1]), Integer.parseInt(words[2]),
                Long.parseLong(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5]),
                Double.parseDouble(words[6])) : null;
    }
}
