package io.weft.nexmark;

import io.weft.core.Hash64;
import io.weft.stream.Step;
import io.weft.stream.StreamRecords;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The events of Nexmark as lines of text: a letter for the kind, the event time in milliseconds since 1970, and the
 * fields of the kind, with commas between them. All of an event follows from the seed, its number over all producers,
 * and the time of its step. Ids, hot keys, prices and lengths are drawn as Nexmark's generator does.
 *
 * @param producers they take turns: each has every n-th event
 * @param disorderMillis the time of an event is up to so much before its place in the stream
 * @param lateEvery one event in so many is late; 0: none
 * @param lateMillis by so much; in the beginning of a step, where that would be before it, none is late
 */
public record NexmarkSpec(int producers, long seed, long disorderMillis, long lateEvery, long lateMillis)
        implements StreamRecords {
    /** The first event: 2015-07-15, as in Nexmark. */
    public static final long BEGIN_MILLIS = 1_436_918_400_000L;
    /** Events of each producer that close all windows at the end of a run. */
    public static final long CLOSING = 2L * Kind.EPOCH;
    private static final byte[] TICK = "T,0,".getBytes(StandardCharsets.US_ASCII);
    static final long FIRST_PERSON = 1000;
    static final long FIRST_AUCTION = 1000;
    private static final long FIRST_CATEGORY = 10;
    private static final int CATEGORIES = 5;
    private static final int IN_FLIGHT = 100;
    private static final int ACTIVE = 1000;
    /** Ids that are often chosen are multiples of it. */
    private static final int HOT = 100;
    private static final int HOT_AUCTION_RATIO = 2;
    private static final int HOT_PERSON_RATIO = 4;
    private static final double PRICE_DECADES = 6;
    private static final int HOT_CHANNELS = 4;
    private static final int CHANNELS = 10_000;
    private static final List<String> HOT_NAMES = List.of("Google", "Facebook", "Baidu", "Apple");
    private static final List<String> STATES = List.of("AZ", "CA", "ID", "OR", "WA", "WY");
    private static final List<String> CITIES = List.of("Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland",
            "Bend", "Redmond", "Seattle", "Kent", "Cheyenne");
    private static final List<String> FIRST = List.of("Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate",
            "Julie", "Sarah", "Deiter", "Walter");
    private static final List<String> LAST = List.of("Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton",
            "Smith", "Jones", "Noris");
    private static final int LETTERS = 1 << 14;
    private static final String TEXT = letters();

    private static String letters() {
        StringBuilder text = new StringBuilder(LETTERS);
        for (int i = 0; i < LETTERS; i++) {
            text.append((char) ('a' + Long.remainderUnsigned(Hash64.of(LETTERS, i), 26)));
        }
        return text.toString();
    }

    /** A line that is no event and is in no table: it ends the wait of a consumer for the next one. */
    public static byte[] tick() {
        return TICK.clone();
    }

    /** Whether a line is one. */
    public static boolean isTick(byte[] line) {
        return Arrays.equals(line, TICK);
    }

    /** The number over all producers. */
    public long number(int producer, long record) {
        return record * producers + producer;
    }

    /** Whether a producer's record is late: all windows that it belongs to have been closed by the watermark. */
    public boolean late(Step step, int producer, long record) {
        return lateEvery > 0 && step.eventMillis(producer, producers, record) - lateMillis >= step.eventMillis()
                && Draw.of(seed, number(producer, record)).below(lateEvery) == 0;
    }

    /** The event time of a producer's record. */
    public long time(Step step, int producer, long record) {
        long place = step.eventMillis(producer, producers, record);
        Draw draw = Draw.of(~seed, number(producer, record));
        long time = place - (disorderMillis > 0 ? draw.below(disorderMillis + 1) : 0);
        return Math.max(step.eventMillis(), late(step, producer, record) ? time - lateMillis : time);
    }

    @Override
    public byte[] record(Step step, int producer, long record) {
        return line(number(producer, record), time(step, producer, record)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The line of an event. */
    String line(long number, long time) {
        Kind kind = Kind.of(number);
        Draw draw = Draw.of(Hash64.mix(seed), number);
        StringBuilder line = new StringBuilder(kind.bytes() * 2).append(kind.letter()).append(',').append(time);
        switch (kind) {
            case PERSON -> person(line, number, draw);
            case AUCTION -> auction(line, number, time, draw);
            default -> bid(line, number, draw);
        }
        return extra(line, kind.bytes(), draw);
    }

    private static void person(StringBuilder line, long number, Draw draw) {
        line.append(',').append(FIRST_PERSON + number / Kind.EPOCH);
        line.append(',').append(draw.one(FIRST)).append(' ').append(draw.one(LAST)).append(',');
        text(line, 7, draw);
        line.append('@');
        text(line, 5, draw);
        line.append(".com,");
        for (int i = 0; i < 4; i++) {
            line.append(i == 0 ? "" : " ").append(1000 + draw.below(9000));
        }
        line.append(',').append(draw.one(CITIES)).append(',').append(draw.one(STATES));
    }

    private static void auction(StringBuilder line, long number, long time, Draw draw) {
        line.append(',').append(lastAuction(number)).append(',');
        text(line, 20, draw);
        line.append(',');
        text(line, 100, draw);
        long initial = price(draw);
        line.append(',').append(initial).append(',').append(initial + price(draw));
        line.append(',').append(time + 1 + draw.below(20_000));
        line.append(',').append(knownPerson(number, 0, draw));
        line.append(',').append(FIRST_CATEGORY + draw.below(CATEGORIES));
    }

    private static void bid(StringBuilder line, long number, Draw draw) {
        long last = lastAuction(number);
        long auction = draw.below(HOT_AUCTION_RATIO) > 0 ? last / HOT * HOT
                : last - draw.below(Math.min(IN_FLIGHT, last - FIRST_AUCTION + 1));
        line.append(',').append(auction).append(',').append(knownPerson(number, 1, draw));
        line.append(',').append(price(draw));
        if (draw.below(2) > 0) {
            int hot = (int) draw.below(HOT_CHANNELS);
            line.append(',').append(HOT_NAMES.get(hot)).append(",https://www.nexmark.com/item.htm?query=").append(hot);
        } else {
            long channel = draw.below(CHANNELS);
            line.append(",channel-").append(channel).append(",https://www.nexmark.com/item.htm?channel_id=")
                    .append(channel);
        }
    }

    /** The last auction that there was before an event, or that it is; the first epoch's bids have that of its end. */
    private static long lastAuction(long number) {
        long at = number % Kind.EPOCH;
        long of = Math.min(Kind.AUCTION.share() - 1, at - Kind.PERSON.share());
        return FIRST_AUCTION + number / Kind.EPOCH * Kind.AUCTION.share() + of;
    }

    /** A person that there is: mostly the one that is popular for a while, otherwise one of the active ones. */
    private static long knownPerson(long number, int hotOffset, Draw draw) {
        long last = FIRST_PERSON + number / Kind.EPOCH;
        long hot = last / HOT * HOT + hotOffset;
        return draw.below(HOT_PERSON_RATIO) > 0 && hot <= last ? hot
                : last - draw.below(Math.min(ACTIVE, last - FIRST_PERSON + 1));
    }

    private static long price(Draw draw) {
        return Math.round(Math.pow(10, draw.unit() * PRICE_DECADES) * 100);
    }

    private static void text(StringBuilder line, int length, Draw draw) {
        int from = (int) draw.below(LETTERS - length);
        line.append(TEXT, from, from + length);
    }

    /** Fills a line up to its length, which differs by up to a fifth. */
    private static String extra(StringBuilder line, int bytes, Draw draw) {
        line.append(',');
        int fifth = bytes / 5;
        int more = bytes - fifth + (int) draw.below(2L * fifth + 1) - line.length();
        if (more > 0) {
            text(line, more, draw);
        }
        return line.toString();
    }
}
