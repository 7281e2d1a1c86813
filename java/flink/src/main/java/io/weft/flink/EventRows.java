package io.weft.flink;

import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/** The rows of one table from lines of all kinds. */
final class EventRows extends RichFlatMapFunction<Tuple2<Long, byte[]>, Row> {
    private static final long serialVersionUID = 1L;
    private final EventTable table;

    EventRows(EventTable table) {
        this.table = table;
    }

    @Override
    public void open(OpenContext context) {
        Restarts.note(getRuntimeContext());
    }

    @Override
    public void flatMap(Tuple2<Long, byte[]> event, Collector<Row> out) {
        if (table.holds(event.f1)) {
            out.collect(row(table, event.f0, event.f1));
        }
    }

    /** The moment, the event time, and the fields of a line. */
    static Row row(EventTable table, long sent, byte[] line) {
        Row row = new Row(table.width());
        row.setField(0, sent);
        row.setField(1, EventLine.time(line));
        int begin = after(line, after(line, 0));
        for (int place = 2; place < table.width(); place++) {
            int next = after(line, begin);
            row.setField(place, table.number(place - 2) ? (Object) number(line, begin, next - 1)
                    : new String(line, begin, next - 1 - begin, StandardCharsets.US_ASCII));
            begin = next;
        }
        return row;
    }

    /** The place after the field that begins at one. */
    private static int after(byte[] line, int begin) {
        int at = begin;
        while (at < line.length && line[at] != ',') {
            at++;
        }
        return at + 1;
    }

    private static long number(byte[] line, int begin, int end) {
        long value = 0;
        for (int i = begin; i < end; i++) {
            value = value * 10 + line[i] - '0';
        }
        return value;
    }
}
