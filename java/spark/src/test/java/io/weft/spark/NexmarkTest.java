package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weft.stream.Topics;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class NexmarkTest {
    @Test
    void offsetsAreThoseOfEachPartitionAndNoneBeforeTheFirstMicroBatch() {
        assertEquals(Map.of(new TopicPartition(Topics.RECORDS, 0), 12L, new TopicPartition(Topics.RECORDS, 1), 34L),
                Nexmark.offsets("{\"stream-records\" : {\"1\": 34,\"0\":12}}"));
        assertEquals(Map.of(), Nexmark.offsets(null));
    }
}
