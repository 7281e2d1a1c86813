package io.weft.core;

import java.nio.charset.StandardCharsets;

/**
 * A vocabulary whose word of rank r (from 0) is drawn with a probability proportional to (r+1)^-s. Words are spelled in
 * syllables of two letters, the frequent ones short.
 */
public final class ZipfWords {
    /** The most words: all of up to three syllables, which with a separator fit into 8 bytes. */
    public static final int MOST = 100 + 100 * 100 + 100 * 100 * 100;
    private static final String CONSONANTS = "bcdfghjklmnprstvwxyz";
    private static final String VOWELS = "aeiou";
    private static final int SYLLABLES = CONSONANTS.length() * VOWELS.length();

    /** The letters of each word, the first in the lowest byte. */
    private final long[] letters;
    private final Alias alias;

    /** A vocabulary of a number of words, at most {@link #MOST}, with exponent s. */
    public ZipfWords(int words, double exponent) {
        letters = new long[words];
        for (int rank = 0; rank < words; rank++) {
            letters[rank] = letters(rank);
        }
        alias = Alias.zipf(words, exponent);
    }

    /** The number of words. */
    public int size() {
        return letters.length;
    }

    /** The rank that a random number of 64 bits draws. */
    int draw(long random) {
        return alias.draw(random);
    }

    /** The letters of a word in 8 bytes, little-endian; unused bytes are zero. */
    long spelled(int rank) {
        return letters[rank];
    }

    /** The number of letters of a word. */
    static int length(long letters) {
        return Long.BYTES - (Long.numberOfLeadingZeros(letters) >> 3);
    }

    /** The word of a rank. */
    public String word(int rank) {
        byte[] bytes = new byte[length(letters[rank])];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (letters[rank] >>> 8 * i);
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** Spells a rank in bijective numeration: the first 100 words have one syllable, the next 10,000 two. */
    private static long letters(int rank) {
        long letters = 0;
        for (int rest = rank; rest >= 0; rest = rest / SYLLABLES - 1) {
            int syllable = rest % SYLLABLES;
            long pair = CONSONANTS.charAt(syllable / VOWELS.length())
                    | VOWELS.charAt(syllable % VOWELS.length()) << 8;
            letters = letters << 16 | pair;
        }
        return letters;
    }
}
