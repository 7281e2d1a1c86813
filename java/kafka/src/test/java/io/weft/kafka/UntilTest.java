package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class UntilTest {
    @Test
    void asksUntilNothingIsMissing() throws Exception {
        Queue<String> answers = new ArrayDeque<>(List.of("two brokers", "a broker", "", "never asked"));
        Until.complete(Duration.ofMinutes(1), answers::remove);
        assertEquals(List.of("never asked"), List.copyOf(answers));
    }

    @Test
    void aTemporaryErrorIsNoEnd() throws Exception {
        Queue<String> answers = new ArrayDeque<>(List.of("error", ""));
        Until.complete(Duration.ofMinutes(1), () -> {
            if (answers.remove().isEmpty()) {
                return "";
            }
            throw new ExecutionException(new UnknownTopicOrPartitionException());
        });
        assertEquals(0, answers.size());
    }

    @Test
    void anyOtherErrorIs() {
        assertThrows(ExecutionException.class, () -> Until.complete(Duration.ofMinutes(1), () -> {
            throw new ExecutionException(new SslAuthenticationException("not ours"));
        }));
    }

    @Test
    void inTheEndItSaysWhatIsMissing() {
        var error = assertThrows(IllegalStateException.class,
                () -> Until.complete(Duration.ZERO, () -> "1 of 2 brokers take part in the cluster"));
        assertEquals("after 0 s: 1 of 2 brokers take part in the cluster", error.getMessage());
    }
}
