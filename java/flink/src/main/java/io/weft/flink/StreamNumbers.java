package io.weft.flink;

import io.weft.stream.StreamSpec;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The producer of a record, which is its partition, and the number that is aggregated. */
final class StreamNumbers implements KafkaRecordDeserializationSchema<Tuple2<Integer, Long>> {
    private static final long serialVersionUID = 1L;
    private final int field;

    StreamNumbers(int field) {
        this.field = field;
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Tuple2<Integer, Long>> out) {
        out.collect(Tuple2.of(record.partition(), StreamSpec.parse(record.value(), field)));
    }

    @Override
    public TypeInformation<Tuple2<Integer, Long>> getProducedType() {
        return Types.TUPLE(Types.INT, Types.LONG);
    }
}
