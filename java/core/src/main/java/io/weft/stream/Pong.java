package io.weft.stream;

/**
 * A program of producers answers a ping.
 *
 * @param ping its number
 * @param first the first producer there
 * @param tookMillis from the collector's clock when it was sent to the producers' when it was heard
 */
public record Pong(int ping, int first, long tookMillis) {
    private static final String NAME = "pong";

    /** As a message. */
    public String message() {
        return String.join(" ", NAME, "" + ping, "" + first, "" + tookMillis);
    }

    /** The answer of a message, or null if it is another one. */
    public static Pong of(String message) {
        String[] words = message.split(" ");
        return words[0].equals(NAME)
                ? new Pong(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3])) : null;
    }
}
