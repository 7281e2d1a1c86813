package io.weft.core;

/**
 * Which text: the same values give the same bytes.
 *
 * @param blocks its length in blocks of 10,000 bytes
 * @param words words of the vocabulary
 * @param exponent of their Zipf distribution
 * @param seed of the generator
 */
public record TextSpec(long blocks, int words, double exponent, long seed) {
    ZipfWords vocabulary() {
        return new ZipfWords(words, exponent);
    }
}
