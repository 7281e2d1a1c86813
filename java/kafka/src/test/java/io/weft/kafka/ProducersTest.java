package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Properties;
import org.junit.jupiter.api.Test;

/** The settings of producers that share a heap. */
class ProducersTest {
    private static final long HEAP = 256 << 20;

    @Test
    void whatAllProducersKeepFitsIntoTheHeap() {
        assertEquals(32 << 20, buffer(1));
        assertTrue(16 * buffer(16) <= HEAP / 2, "16 producers may keep " + 16 * buffer(16));
        assertEquals(2 << 20, buffer(1000));
    }

    @Test
    void aCallWaitsAsLongAsTheUserIsPatient() {
        assertEquals("300000", settings(300, 1).getProperty("max.block.ms"));
        assertEquals("300000", settings(300, 1).getProperty("delivery.timeout.ms"));
        assertEquals("60000", settings(1, 1).getProperty("max.block.ms"), "the first call asks for the partitions too");
        assertEquals("localhost:9092", settings(1, 1).getProperty("bootstrap.servers"));
    }

    private static long buffer(int producers) {
        return Long.parseLong(settings(120, producers).getProperty("buffer.memory"));
    }

    private static Properties settings(double patience, int producers) {
        Properties client = new Properties();
        client.put("bootstrap.servers", "localhost:9092");
        return Producers.settings(client, patience, 0, producers, HEAP);
    }
}
