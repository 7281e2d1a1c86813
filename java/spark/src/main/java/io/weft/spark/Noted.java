package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.ml.ReadTally;
import java.io.Serializable;
import java.util.Iterator;
import java.util.LinkedHashSet;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.CollectionAccumulator;

/**
 * Data, and what was read of it: each time that a task reads a partition to its end, the count and the hashes of what it
 * got. However often a partition is read, and by whichever attempt, they have to be the same.
 *
 * @param rows what is to be read
 * @param read lines of text, from finished tasks
 */
record Noted<T>(JavaRDD<T> rows, CollectionAccumulator<String> read) {
    /** Gives the hash of an element. */
    interface Hash<T> extends Serializable {
        long of(T element);
    }

    static <T> Noted<T> of(JavaRDD<T> rows, Hash<T> hash, JavaSparkContext spark) {
        CollectionAccumulator<String> read = spark.sc().collectionAccumulator("read");
        return new Noted<>(rows.mapPartitionsWithIndex((partition, elements) -> new Noting<>(elements, partition, hash, read),
                true), read);
    }

    /** Adds what was read to an answer, each line once. */
    void put(Answer answer) {
        new LinkedHashSet<>(read.value()).forEach(text -> ReadTally.put(text, answer));
    }

    /** Notes what passes. */
    private static final class Noting<T> implements Iterator<T> {
        private final Iterator<T> elements;
        private final int partition;
        private final Hash<T> hash;
        private final CollectionAccumulator<String> read;
        private ReadTally tally = new ReadTally();

        Noting(Iterator<T> elements, int partition, Hash<T> hash, CollectionAccumulator<String> read) {
            this.elements = elements;
            this.partition = partition;
            this.hash = hash;
            this.read = read;
        }

        @Override
        public boolean hasNext() {
            boolean more = elements.hasNext();
            if (!more && tally != null) {
                read.add(tally.text(partition));
                tally = null;
            }
            return more;
        }

        @Override
        public T next() {
            T element = elements.next();
            tally.add(hash.of(element));
            return element;
        }
    }
}
