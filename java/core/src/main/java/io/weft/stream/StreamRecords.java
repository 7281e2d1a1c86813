package io.weft.stream;

/** What producers publish: each record follows from its producer, its number and its step. */
public interface StreamRecords {
    /** How many producers there are; each has a partition with its own number. */
    int producers();

    /** A producer's record. */
    byte[] record(Step step, int producer, long number);
}
