package io.weft.spark;

/** Some whole records in an array; the unit that crosses the shuffle. Reused: copy out before the next one. */
final class Chunk {
    byte[] bytes;
    int offset;
    int length;
}
