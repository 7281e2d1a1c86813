package io.weft.job;

import io.weft.core.Outcome;
import io.weft.core.RankOptions;
import io.weft.core.RankSpec;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** PageRank by the definition of {@link RankSpec}. */
public abstract class PageRankJob<S extends EngineSession> extends TextJob<S> {
    @Mixin
    private RankOptions rank;

    @Option(names = "--method")
    private Method method = Method.OWN;

    /** How ranks are found. */
    protected enum Method {
        /** By weft's blocks of the graph and messages between them. */
        OWN,
        /** By GraphX's graph and its messages along edges. */
        GRAPHX
    }

    /** Which ranks. */
    protected final RankSpec spec() {
        return rank.spec();
    }

    /** How they are found. */
    protected final Method method() {
        return method;
    }

    @Override
    protected void judge(long in, long out, Outcome outcome) {
        outcome.put("method", method.name().toLowerCase(Locale.ROOT)).put("vertices", spec().vertices())
                .put("rounds", spec().rounds());
    }
}
