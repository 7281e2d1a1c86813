package io.weft.kafka;

import io.weft.stream.StreamOptions;
import io.weft.stream.StreamRecords;
import picocli.CommandLine.Mixin;

/** Producers of records of numbers. */
public final class Produce extends Producers {
    @Mixin
    private StreamOptions stream;

    public static void main(String[] args) {
        main(new Produce(), args);
    }

    @Override
    protected StreamRecords records() {
        return stream.spec();
    }
}
