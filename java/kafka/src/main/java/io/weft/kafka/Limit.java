package io.weft.kafka;

/** Where records wait longest, from their intended moment to their result. */
enum Limit {
    /** Records are sent late, and not because the brokers' acknowledgements are awaited. */
    PRODUCER,
    /** Records wait for their acknowledgement, or producers for memory that such records take. */
    BROKER,
    /** Records are in the brokers' log, and in no result. */
    ENGINE;

    private static final double HALF = 0.5;

    /**
     * Compares medians of the last quarter of a step, in microseconds.
     *
     * @param latency from the intended moment to the result
     * @param late from the intended moment to the call that sends a record
     * @param acknowledged from there to the acknowledgement
     * @param blocked share of the step in which that call waited
     */
    static Limit of(long latency, long late, long acknowledged, double blocked) {
        boolean waits = blocked >= HALF;
        long producer = waits ? 0 : late;
        long broker = acknowledged + (waits ? late : 0);
        long engine = latency - late - acknowledged;
        if (producer >= broker && producer >= engine) {
            return PRODUCER;
        }
        return broker >= engine ? BROKER : ENGINE;
    }
}
