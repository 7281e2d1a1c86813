package io.weft.flink;

import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.types.DataType;

/** A table of one kind of event: its columns in the order of a line's fields, behind the moment and the event time. */
enum EventTable {
    PERSON('P', List.of("id", "name", "emailAddress", "creditCard", "city", "state", "extra"), List.of("id")),
    AUCTION('A', List.of("id", "itemName", "description", "initialBid", "reserve", "expires", "seller", "category",
            "extra"), List.of("id", "initialBid", "reserve", "expires", "seller", "category")),
    BID('B', List.of("auction", "bidder", "price", "channel", "url", "extra"), List.of("auction", "bidder", "price"));

    /** Columns of every table that are no fields of its kind: the moment, and the event time in milliseconds. */
    private static final List<String> FIRST = List.of("sent", "millis");

    private final char letter;
    private final List<String> fields;
    private final List<String> numbers;

    EventTable(char letter, List<String> fields, List<String> numbers) {
        this.letter = letter;
        this.fields = fields;
        this.numbers = numbers;
    }

    boolean holds(byte[] line) {
        return line[0] == letter;
    }

    int width() {
        return FIRST.size() + fields.size();
    }

    boolean number(int field) {
        return numbers.contains(fields.get(field));
    }

    TypeInformation<?>[] types() {
        TypeInformation<?>[] found = new TypeInformation<?>[width()];
        for (int i = 0; i < found.length; i++) {
            found[i] = i < FIRST.size() || number(i - FIRST.size()) ? Types.LONG : Types.STRING;
        }
        return found;
    }

    RowTypeInfo row() {
        String[] names = new String[width()];
        for (int i = 0; i < names.length; i++) {
            names[i] = i < FIRST.size() ? FIRST.get(i) : fields.get(i - FIRST.size());
        }
        return new RowTypeInfo(types(), names);
    }

    /** With a column of the event time, eventTime, and the stream's watermark. */
    Schema schema() {
        Schema.Builder schema = Schema.newBuilder();
        RowTypeInfo row = row();
        for (int i = 0; i < row.getArity(); i++) {
            DataType type = row.getTypeAt(i).equals(Types.LONG) ? DataTypes.BIGINT() : DataTypes.STRING();
            schema.column(row.getFieldNames()[i], type);
        }
        return schema.columnByMetadata("eventTime", DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                .watermark("eventTime", "SOURCE_WATERMARK()").build();
    }
}
