package io.weft.core;

import java.util.Iterator;
import java.util.Map;

/** Writes maps, iterables, strings, numbers, booleans and null as JSON text. */
public final class Json {
    private Json() {
    }

    /** One line of JSON. A double must be finite. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(StringBuilder out, Object value) {
        if (value instanceof Map<?, ?> map) {
            object(out, map);
        } else if (value instanceof Iterable<?> items) {
            array(out, items);
        } else if (value instanceof Double number && !Double.isFinite(number)) {
            throw new IllegalArgumentException("JSON has no number " + number);
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            string(out, value.toString());
        }
    }

    private static void object(StringBuilder out, Map<?, ?> map) {
        out.append('{');
        String comma = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(comma);
            string(out, entry.getKey().toString());
            out.append(": ");
            write(out, entry.getValue());
            comma = ", ";
        }
        out.append('}');
    }

    private static void array(StringBuilder out, Iterable<?> items) {
        out.append('[');
        for (Iterator<?> it = items.iterator(); it.hasNext();) {
            write(out, it.next());
            if (it.hasNext()) {
                out.append(", ");
            }
        }
        out.append(']');
    }

    private static void string(StringBuilder out, String text) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
