package io.weft.flink;

import io.weft.stream.Topics;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A row of a result: the query and its first value as the key, the others as a line with commas between them, times in
 * milliseconds. If rows are updated, a line begins with whether there is a row of its key now, all of a key are in one
 * partition and so in their order, and one that is no longer there has no moment from which a latency counts.
 */
final class ResultLine implements KafkaRecordSerializationSchema<Row> {
    private static final long serialVersionUID = 1L;
    private final String query;

    private final boolean updated;

    ResultLine(String query, boolean updated) {
        this.query = query;
        this.updated = updated;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(Row row, KafkaSinkContext context, Long timestamp) {
        boolean there = row.getKind() != RowKind.DELETE;
        StringBuilder line = new StringBuilder(updated ? (there ? "1," : "0,") : "");
        for (int i = 1; i < row.getArity(); i++) {
            line.append(i > 1 ? "," : "").append(text(row.getField(i)));
        }
        Integer partition = updated ? partition(text(row.getField(1)), context.getPartitionsForTopic(Topics.RESULTS)) : null;
        byte[] key = bytes(there ? query + " " + text(row.getField(0)) : query);
        return new ProducerRecord<>(Topics.RESULTS, partition, key, bytes(line.toString()));
    }

    private static int partition(String key, int[] partitions) {
        return partitions[Math.floorMod(key.hashCode(), partitions.length)];
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static String text(Object value) {
        if (value instanceof LocalDateTime time) {
            return "" + time.toInstant(ZoneOffset.UTC).toEpochMilli();
        }
        if (value instanceof Instant moment) {
            return "" + moment.toEpochMilli();
        }
        return value instanceof BigDecimal number ? number.toPlainString() : String.valueOf(value);
    }
}
