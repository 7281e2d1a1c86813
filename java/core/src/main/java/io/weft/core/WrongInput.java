package io.weft.core;

import java.io.IOException;

/** Data that cannot be worked on: one sentence for the user, an outcome with {@code valid: false}, exit code 1. */
public final class WrongInput extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param message one sentence that names the file and what is wrong with it */
    public WrongInput(String message) {
        super(message);
    }
}
