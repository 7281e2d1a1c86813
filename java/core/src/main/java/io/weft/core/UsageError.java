package io.weft.core;

/** A command line that cannot be obeyed: one sentence for the user, exit code 2. */
public final class UsageError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message one sentence that names the option and the value */
    public UsageError(String message) {
        super(message);
    }
}
