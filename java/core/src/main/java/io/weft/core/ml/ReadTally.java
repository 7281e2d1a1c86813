package io.weft.core.ml;

import io.weft.core.Answer;
import io.weft.core.Hash64;
import io.weft.core.Outcome;
import io.weft.core.WrongInput;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/** How many elements of a partition a method read until its end, and the sum of their hashes. */
public final class ReadTally {
    private long count;
    private long sum;

    /** Counts an element by its hash. */
    public void add(long hash) {
        count++;
        sum += hash;
    }

    private void add(ReadTally other) {
        count += other.count;
        sum += other.sum;
    }

    /** One line of text, with the number of the partition first. */
    public String text(int partition) {
        return partition + " " + count + " " + sum;
    }

    /** Adds a partition's line of text to an answer. */
    public static void put(String text, Answer answer) {
        int space = text.indexOf(' ');
        answer.put("read " + text.substring(0, space), text.substring(space + 1));
    }

    /** The hash of numbers in their order. */
    public static long hash(double... numbers) {
        long hash = 0;
        for (double number : numbers) {
            hash = Hash64.mix(hash + Double.doubleToLongBits(number) + 1);
        }
        return hash;
    }

    /** The hash of words in their order. */
    public static long hash(List<String> words) {
        long hash = 0;
        for (String word : words) {
            hash = Hash64.mix(hash + word.hashCode() + 1);
        }
        return hash;
    }

    /** Compares what was read of each partition with the generator's rows. */
    static void check(MlSpec spec, Answer answer, LongUnaryOperator hash, Outcome outcome) throws WrongInput {
        checkSeveral(spec, answer, row -> new long[] {hash.applyAsLong(row)}, outcome);
    }

    /** The same, where a row of the generator has several elements or none. */
    static void checkSeveral(MlSpec spec, Answer answer, LongFunction<long[]> hashes, Outcome outcome)
            throws WrongInput {
        for (int partition = 0; partition < spec.partitions(); partition++) {
            ReadTally right = LongStream.range(spec.first(partition), spec.first(partition + 1)).parallel()
                    .mapToObj(hashes).flatMapToLong(LongStream::of)
                    .collect(ReadTally::new, ReadTally::add, ReadTally::add);
            String name = "read " + partition;
            String found = partition + " " + String.join(" ", answer.words(name));
            if (!found.equals(right.text(partition))) {
                outcome.problem("partition, count and hash of what was read are " + found + ", expected "
                        + right.text(partition));
                return;
            }
        }
    }
}
