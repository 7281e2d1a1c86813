package io.weft.flink;

import io.weft.stream.Topics;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.types.Row;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A row of a result: the query and its first value as the key, the others as a line with commas between them, times in milliseconds. */
final class ResultLine implements KafkaRecordSerializationSchema<Row> {
    private static final long serialVersionUID = 1L;
    private final String query;

    ResultLine(String query) {
        this.query = query;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(Row row, KafkaSinkContext context, Long timestamp) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i < row.getArity(); i++) {
            line.append(i > 1 ? "," : "").append(text(row.getField(i)));
        }
        return new ProducerRecord<>(Topics.RESULTS, bytes(query + " " + text(row.getField(0))), bytes(line.toString()));
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
