package io.weft.core;

import picocli.CommandLine.Option;

/** The options that say which text. */
final class TextOptions {
    @Option(names = "--blocks", required = true)
    @Bounds(min = 0, max = 1L << 40)
    private long blocks;

    @Option(names = "--words")
    @Bounds(min = 1, max = ZipfWords.MOST)
    private int words = 100_000;

    @Option(names = "--exponent")
    @Bounds(min = 0, max = 10)
    private double exponent = 1;

    @Option(names = "--seed")
    @Bounds(min = 0)
    private long seed;

    TextSpec spec() {
        return new TextSpec(blocks, words, exponent, seed);
    }
}
