package io.weft.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Text in blocks of 10,000 bytes: lines of 4 to 19 words of a Zipf vocabulary, the end of a block padded with spaces.
 * Seed and number alone decide a block, so that any part of a text can be made anywhere.
 */
public final class TextBlocks {
    /** Bytes of a block; its last one ends a line. */
    public static final int BLOCK = 10_000;
    /** Bytes that the target of {@link #write} needs after a block. */
    static final int SLACK = Long.BYTES;
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long GAMMA = 0x9e3779b97f4a7c15L;
    private static final int LEAST_WORDS = 4;
    private static final int LINE_KINDS = 16;

    private final ZipfWords words;
    private final long seed;
    private long state;

    /** The text of a seed. */
    public TextBlocks(ZipfWords words, long seed) {
        this.words = words;
        this.seed = Hash64.mix(seed + GAMMA);
    }

    /** Writes a block at an offset, and up to {@link #SLACK} bytes of nothing behind it; gives its number of words. */
    int write(long block, byte[] to, int offset) {
        int at = offset;
        int end = offset + BLOCK;
        int count = 0;
        int left = begin(block);
        while (true) {
            long letters = words.spelled(words.draw(next()));
            int length = ZipfWords.length(letters);
            if (at + length >= end) {
                break;
            }
            LONG.set(to, at, letters);
            at += length;
            count++;
            left--;
            to[at++] = (byte) (left == 0 ? '\n' : ' ');
            left = left == 0 ? line() : left;
        }
        if (at < end) {
            Arrays.fill(to, at, end - 1, (byte) ' ');
        }
        to[end - 1] = '\n';
        return count;
    }

    /** Adds the words of a block to the counts by rank, without spelling them. */
    void count(long block, long[] counts) {
        int room = BLOCK;
        int left = begin(block);
        while (true) {
            int rank = words.draw(next());
            room -= ZipfWords.length(words.spelled(rank)) + 1;
            if (room < 0) {
                return;
            }
            counts[rank]++;
            left = left == 1 ? line() : left - 1;
        }
    }

    private int begin(long block) {
        state = Hash64.mix(seed + block * GAMMA);
        return line();
    }

    private int line() {
        return LEAST_WORDS + (int) (next() & LINE_KINDS - 1);
    }

    private long next() {
        return Hash64.mix(state += GAMMA);
    }
}
