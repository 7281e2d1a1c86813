package io.weft.stream;

/**
 * How many records of the brokers' log no complete checkpoint or micro-batch of the engine has, at a moment. The driver says it.
 *
 * @param micros the moment, since 1970
 * @param records over all partitions
 */
public record Lag(long micros, long records) {
    private static final String NAME = "lag";

    /** As a message. */
    public String message() {
        return String.join(" ", NAME, "" + micros, "" + records);
    }

    /** The lag of a message, or null if it is another one. */
    public static Lag of(String message) {
        String[] words = message.split(" ");
        return words[0].equals(NAME) ? new Lag(Long.parseLong(words[1]), Long.parseLong(words[2])) : null;
    }
}
