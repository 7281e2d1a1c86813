package io.weft.kafka;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The system's clock. */
final class Clock {
    private Clock() {
    }

    /** Microseconds since 1970. */
    static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
