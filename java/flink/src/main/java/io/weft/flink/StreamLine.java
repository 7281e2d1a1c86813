package io.weft.flink;

import io.weft.stream.Topics;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A result in the topic of results, which has one partition. */
final class StreamLine implements KafkaRecordSerializationSchema<byte[]> {
    private static final long serialVersionUID = 1L;

    @Override
    public ProducerRecord<byte[], byte[]> serialize(byte[] line, KafkaSinkContext context, Long timestamp) {
        return new ProducerRecord<>(Topics.RESULTS, 0, null, line);
    }
}
