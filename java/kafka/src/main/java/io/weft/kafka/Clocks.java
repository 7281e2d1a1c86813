package io.weft.kafka;

import io.weft.stream.Control;
import io.weft.stream.Pong;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How far the clocks of producers are from the collector's: bounds, since messages take some time. */
final class Clocks {
    private static final int PINGS = 5;
    private static final long POLL_MILLIS = 100;
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    private final Map<Integer, long[]> bounds = new TreeMap<>();

    /** By the number of the first producer of a program: the least and the most that its clock can be ahead, in seconds. */
    static List<Map<String, Object>> compare(Control control, int programs) throws Exception {
        Clocks clocks = new Clocks();
        for (int ping = 0; ping < PINGS; ping++) {
            control.say(Control.PING + ping);
            long end = System.nanoTime() + PATIENCE_NANOS;
            for (int answers = 0; answers < programs && System.nanoTime() < end;) {
                for (Control.Message message : control.messages(POLL_MILLIS)) {
                    answers += clocks.hear(message) ? 1 : 0;
                }
            }
        }
        return clocks.report();
    }

    /** Whether a message is an answer to a ping, which is never heard before it was sent. */
    boolean hear(Control.Message message) {
        Pong pong = Pong.of(message.text());
        if (pong == null) {
            return false;
        }
        long[] of = bounds.computeIfAbsent(pong.first(), first -> new long[] {Long.MIN_VALUE, Long.MAX_VALUE});
        of[0] = Math.max(of[0], message.sentMillis() - message.heardMillis());
        of[1] = Math.min(of[1], pong.tookMillis());
        return true;
    }

    List<Map<String, Object>> report() {
        List<Map<String, Object>> found = new ArrayList<>();
        bounds.forEach((first, of) -> found
                .add(Map.of("first_producer", first, "least", of[0] / 1e3, "most", of[1] / 1e3)));
        return found;
    }
}
