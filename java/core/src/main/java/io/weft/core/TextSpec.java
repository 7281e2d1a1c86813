package io.weft.core;

import java.util.List;
import java.util.stream.Stream;

/**
 * Which text: the same values give the same bytes.
 *
 * @param blocks its length in blocks of 10,000 bytes
 * @param words words of the vocabulary
 * @param exponent of their Zipf distribution
 * @param seed of the generator
 */
public record TextSpec(long blocks, int words, double exponent, long seed) {
    private static final List<String> KEYS = List.of("blocks", "words", "exponent", "seed");

    /** The keys of a program's own options and of those that say which text. */
    static List<String> keys(String... own) {
        return Stream.concat(KEYS.stream(), Stream.of(own)).toList();
    }

    static TextSpec of(Options options) {
        return new TextSpec(options.number("blocks", 0, 1L << 40),
                options.integer("words", 100_000, 1, ZipfWords.MOST),
                options.decimal("exponent", 1, 0, 10), options.number("seed", 0, 0, Long.MAX_VALUE));
    }

    ZipfWords vocabulary() {
        return new ZipfWords(words, exponent);
    }
}
