package io.weft.flink;

import io.weft.core.RangeTable;
import io.weft.core.Splits;
import io.weft.core.Store;
import io.weft.core.TeraRecord;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.api.java.typeutils.ValueTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.util.Collector;

/** The sort that Flink offers: {@code partitionCustom}, then {@code sortPartition} on byte arrays. */
final class StockSort {
    private StockSort() {
    }

    /** Records in order, task i with those of range i. */
    static DataStream<byte[]> sorted(Session session, Splits splits, RangeTable table, int ranges) {
        DataStream<byte[]> records = session.numbers(splits).flatMap(new Read(splits.store, splits.splits))
                .returns(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                .setParallelism(session.readers(splits)).name("read")
                .partitionCustom((Long prefix, int count) -> table.range(prefix), new Prefix())
                .map(record -> record).returns(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                .setParallelism(ranges).name("arrive");
        return records.fullWindowPartition().sortPartition(new Key(), Order.ASCENDING).setParallelism(ranges);
    }

    /** Reads the split of a number, record by record. */
    private record Read(Store store, List<Splits.Split> splits) implements FlatMapFunction<Long, byte[]> {
        private static final int BATCH = 2_560 * TeraRecord.LENGTH;

        @Override
        public void flatMap(Long number, Collector<byte[]> out) throws Exception {
            Splits.Split split = splits.get(number.intValue());
            byte[] batch = new byte[BATCH];
            try (Store.Reader in = store.open(split.name())) {
                for (long at = 0; at < split.bytes(); at += BATCH) {
                    int length = (int) Math.min(BATCH, split.bytes() - at);
                    in.read(split.from() + at, batch, length);
                    for (int i = 0; i < length; i += TeraRecord.LENGTH) {
                        out.collect(java.util.Arrays.copyOfRange(batch, i, i + TeraRecord.LENGTH));
                    }
                }
            }
        }
    }

    /** What the range of a record is found by. */
    private static final class Prefix implements KeySelector<byte[], Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public Long getKey(byte[] record) {
            return TeraRecord.prefix(record, 0);
        }
    }

    /** A key of a type of its own: Flink compares bytes as signed, and of a tuple in a key the first field alone. */
    private static final class Key implements KeySelector<byte[], StockKey>, ResultTypeQueryable<StockKey> {
        private static final long serialVersionUID = 1L;

        @Override
        public StockKey getKey(byte[] record) {
            return new StockKey(record);
        }

        @Override
        public TypeInformation<StockKey> getProducedType() {
            return new ValueTypeInfo<>(StockKey.class);
        }
    }
}
