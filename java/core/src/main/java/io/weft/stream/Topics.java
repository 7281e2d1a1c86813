package io.weft.stream;

/** Names of the topics of a run. */
public final class Topics {
    /** What producers publish; each has a partition. */
    public static final String RECORDS = "stream-records";
    /** What the engine answers, in one partition. */
    public static final String RESULTS = "stream-results";
    /** What the programs of a run tell each other. */
    public static final String CONTROL = "stream-control";

    private Topics() {
    }
}
