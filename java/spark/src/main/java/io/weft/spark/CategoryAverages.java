package io.weft.spark;

import java.util.List;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.MapState;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Of bids on auctions, the average final price of each category: an aggregate of an aggregate whose rows are updated, which SQL
 * on streams of Spark does not have. There is a row of each category of which a micro-batch has a bid.
 */
final class CategoryAverages extends StatefulProcessor<Long, Row, Row> {
    private static final long serialVersionUID = 1L;
    private static final int SENT = 0;
    private static final int CATEGORY = 1;
    private static final int AUCTION = 2;
    private static final int PRICE = 3;

    private transient MapState<Long, Long> finals;
    private transient ValueState<Long> total;
    private transient ValueState<Long> count;

    /** Of rows with a moment, a category, an auction and the price of a bid, all of them whole numbers. */
    static Dataset<Row> of(Dataset<Row> bids) {
        StructType averages = new StructType();
        for (String name : List.of("sent", "category", "price", "total", "num")) {
            averages = averages.add(name, DataTypes.LongType);
        }
        return bids.groupByKey((MapFunction<Row, Long>) bid -> bid.getLong(CATEGORY), Encoders.LONG())
                .transformWithState(new CategoryAverages(), TimeMode.None(), OutputMode.Append(), Encoders.row(averages));
    }

    @Override
    public void init(OutputMode mode, TimeMode time) {
        finals = getHandle().getMapState("finals", Encoders.LONG(), Encoders.LONG(), TTLConfig.NONE());
        total = getHandle().getValueState("total", Encoders.LONG(), TTLConfig.NONE());
        count = getHandle().getValueState("count", Encoders.LONG(), TTLConfig.NONE());
    }

    @Override
    public Iterator<Row> handleInputRows(Long category, Iterator<Row> bids, TimerValues timers) {
        long sum = total.exists() ? total.get() : 0;
        long auctions = count.exists() ? count.get() : 0;
        long sent = Long.MIN_VALUE;
        while (bids.hasNext()) {
            Row bid = bids.next();
            long price = bid.getLong(PRICE);
            long auction = bid.getLong(AUCTION);
            sent = Math.max(sent, bid.getLong(SENT));
            boolean known = finals.containsKey(auction);
            long before = known ? finals.getValue(auction) : 0;
            if (!known || price > before) {
                finals.updateValue(auction, price);
                sum += price - before;
                auctions += known ? 0 : 1;
            }
        }
        total.update(sum);
        count.update(auctions);
        Row row = RowFactory.create(sent, category, sum / auctions, sum, auctions);
        return CollectionConverters.asScala(List.of(row).iterator());
    }
}
