package io.weft.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** An event of Nexmark: the moment at which it should have been sent, and its line. */
final class EventLine implements KafkaRecordDeserializationSchema<Tuple2<Long, byte[]>> {
    private static final long serialVersionUID = 1L;
    private static final int TIME_AT = 2;

    /** The event time of a line, which follows its kind. */
    static long time(byte[] line) {
        long time = 0;
        for (int i = TIME_AT; line[i] != ','; i++) {
            time = time * 10 + line[i] - '0';
        }
        return time;
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Tuple2<Long, byte[]>> out) {
        out.collect(Tuple2.of(record.timestamp(), record.value()));
    }

    @Override
    public TypeInformation<Tuple2<Long, byte[]>> getProducedType() {
        return Types.TUPLE(Types.LONG, Types.PRIMITIVE_ARRAY(Types.BYTE));
    }
}
