package io.weft.kafka;

import io.weft.nexmark.NexmarkOptions;
import io.weft.stream.StreamRecords;
import picocli.CommandLine.Mixin;

/** Producers of the events of Nexmark. */
public final class NexmarkProduce extends Producers {
    @Mixin
    private NexmarkOptions stream;

    public static void main(String[] args) {
        main(new NexmarkProduce(), args);
    }

    @Override
    protected StreamRecords records() {
        return stream.spec();
    }
}
