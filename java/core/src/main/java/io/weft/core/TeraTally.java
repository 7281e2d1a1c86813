package io.weft.core;

import java.io.Serializable;
import java.util.zip.CRC32;

/** What arrived in a partition: how many records, the sum of their hashes, and between which keys they are. */
public final class TeraTally implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int HEX = 16;

    private final int partition;
    private long rows;
    private long hash;
    /** The first 8 bytes of the lowest and of the highest key, unsigned. */
    private long lowest = -1;
    private long highest;

    /** A tally of nothing yet. */
    public TeraTally(int partition) {
        this.partition = partition;
    }

    /** Counts the records of a chunk. */
    public void count(Chunk chunk) {
        count(chunk.bytes, chunk.offset, chunk.length);
    }

    /** Counts whole records in an array. */
    public void count(byte[] bytes, int offset, int length) {
        CRC32 crc = new CRC32();
        for (int at = offset; at < offset + length; at += TeraRecord.LENGTH) {
            crc.reset();
            crc.update(bytes, at, TeraRecord.LENGTH);
            add(TeraRecord.prefix(bytes, at), crc.getValue());
        }
    }

    /** Counts a record by the first 8 bytes of its key and its CRC32. */
    void add(long prefix, long crc) {
        rows++;
        hash += TeraRecord.hash(prefix, crc);
        lowest = Long.compareUnsigned(prefix, lowest) < 0 ? prefix : lowest;
        highest = Long.compareUnsigned(prefix, highest) > 0 ? prefix : highest;
    }

    /** Adds what was counted of the same partition elsewhere. */
    void add(TeraTally other) {
        rows += other.rows;
        hash += other.hash;
        lowest = Long.compareUnsigned(other.lowest, lowest) < 0 ? other.lowest : lowest;
        highest = Long.compareUnsigned(other.highest, highest) > 0 ? other.highest : highest;
    }

    /** The number of records. */
    public long rows() {
        return rows;
    }

    int partition() {
        return partition;
    }

    long lowest() {
        return lowest;
    }

    long highest() {
        return highest;
    }

    long hash() {
        return hash;
    }

    /** One line of text. */
    public String text() {
        return String.join(" ", String.valueOf(partition), String.valueOf(rows), Long.toHexString(hash), Long.toHexString(lowest),
                Long.toHexString(highest));
    }

    /** The tally of a line of text. */
    public static TeraTally of(String text) {
        String[] words = text.split(" ");
        TeraTally tally = new TeraTally(Integer.parseInt(words[0]));
        tally.rows = Long.parseLong(words[1]);
        tally.hash = Long.parseUnsignedLong(words[2], HEX);
        tally.lowest = Long.parseUnsignedLong(words[3], HEX);
        tally.highest = Long.parseUnsignedLong(words[4], HEX);
        return tally;
    }

    /** Adds its line to an answer: of a partition, its number, and the rest of the text. */
    public void put(Answer answer) {
        String text = text();
        int space = text.indexOf(' ');
        answer.put("partition " + text.substring(0, space), text.substring(space + 1));
    }

    /** The tally of a partition in an answer. */
    static TeraTally of(Answer answer, int partition) throws WrongInput {
        String text = partition + " " + String.join(" ", answer.words("partition " + partition));
        try {
            return of(text);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException error) {
            throw new WrongInput("Partition " + partition + " of the answer is no tally of records: " + text + ".");
        }
    }
}
