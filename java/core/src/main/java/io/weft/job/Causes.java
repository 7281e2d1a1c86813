package io.weft.job;

import java.util.Optional;
import java.util.stream.Stream;

/** The reason in a chain of exceptions. */
public final class Causes {
    private Causes() {
    }

    /** The innermost cause of an error, or the outermost one that is of these types. */
    public static Throwable innermost(Throwable error, Class<?>... ends) {
        Throwable cause = error;
        while (cause.getCause() != null && cause.getCause() != cause && !is(cause, ends)) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static boolean is(Throwable cause, Class<?>... types) {
        return Stream.of(types).anyMatch(type -> type.isInstance(cause));
    }

    /** The first line of a message that is not empty, without the spaces around it. */
    public static Optional<String> firstLine(String message) {
        return String.valueOf(message).lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst();
    }
}
