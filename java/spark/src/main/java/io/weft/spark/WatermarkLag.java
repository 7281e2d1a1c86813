package io.weft.spark;

import io.weft.nexmark.NexmarkSpec;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * How far in event time queries' watermarks were behind the latest event at most: an event that is later than this was never counted in a
 * window that had ended. A micro-batch drops late events by the watermark of the batch before it.
 */
final class WatermarkLag {
    /** By query: the last micro-batch of which the watermark is known. */
    private final Map<UUID, Batch> last = new HashMap<>();
    private long millis;

    private record Batch(long id, long watermark) {
    }

    /** Takes a query's last micro-batches, in their order; those that it has had before are passed over. */
    synchronized void note(StreamingQueryProgress[] batches) {
        for (StreamingQueryProgress batch : batches) {
            note(batch.id(), batch.batchId(), batch.eventTime());
        }
    }

    /** @param times of a micro-batch, as text: its watermark, and its latest event, if it had one */
    void note(UUID query, long id, Map<String, String> times) {
        // no event is before the first one: until then the watermark is 1970
        Batch before = last.getOrDefault(query, new Batch(-1, NexmarkSpec.BEGIN_MILLIS));
        if (id <= before.id()) {
            return;
        }
        if (times.containsKey("max")) {
            millis = Math.max(millis, Instant.parse(times.get("max")).toEpochMilli() - before.watermark());
        }
        if (times.containsKey("watermark")) {
            long watermark = Instant.parse(times.get("watermark")).toEpochMilli();
            last.put(query, new Batch(id, Math.max(watermark, before.watermark())));
        }
    }

    /** In seconds. */
    synchronized double seconds() {
        return millis / 1000.0;
    }
}
