package io.weft.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class CausesTest {
    private final Exception disk = new IOException("no space left");
    private final Exception failed = new IllegalStateException("task failed", disk);
    private final Exception job = new ExecutionException(failed);

    @Test
    void innermostIsTheEndOfTheChain() {
        assertSame(disk, Causes.innermost(job));
        assertSame(disk, Causes.innermost(disk));
    }

    @Test
    void innermostEndsAtATypeThatIsAskedFor() {
        assertSame(failed, Causes.innermost(job, IllegalStateException.class));
        assertSame(disk, Causes.innermost(job, IllegalArgumentException.class));
    }

    @Test
    void innermostEndsWhereAnErrorIsItsOwnCause() {
        Exception own = new Exception("again") {
            @Override
            public synchronized Throwable getCause() {
                return this;
            }
        };
        assertSame(own, Causes.innermost(new IllegalStateException(own)));
    }

    @Test
    void firstLineHasText() {
        assertEquals(Optional.of("task failed"), Causes.firstLine("\n  task failed \nat io.weft"));
        assertEquals(Optional.empty(), Causes.firstLine(" \n"));
    }
}
