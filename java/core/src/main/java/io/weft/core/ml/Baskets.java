package io.weft.core.ml;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Baskets of items, and the sets of items that are in many of them: small numbers of an item are frequent, as in
 * spark-perf (item = N u^10), and a basket has 1 to 19 draws.
 *
 * @param seeded draws them
 * @param baskets number of baskets
 * @param items number of different items
 */
public record Baskets(Seeded seeded, int baskets, int items) implements Serializable {
    private static final int DRAWS = 19;
    private static final double SKEW = 10;

    /** The items of a basket, each once, in order. */
    public List<Integer> basket(long number) {
        TreeSet<Integer> found = new TreeSet<>();
        int draws = 1 + seeded.below(number, 0, DRAWS);
        for (int draw = 1; draw <= draws; draw++) {
            found.add((int) (items * Math.pow(seeded.uniform(number, draw), SKEW)));
        }
        return new ArrayList<>(found);
    }

    /** By set of items, in order: in how many baskets it is, for sets in at least so many. */
    public Map<List<Integer>, Long> frequent(long least) {
        BitSet[] holds = new BitSet[items];
        for (int item = 0; item < items; item++) {
            holds[item] = new BitSet(baskets);
        }
        for (int number = 0; number < baskets; number++) {
            for (int item : basket(number)) {
                holds[item].set(number);
            }
        }
        BitSet all = new BitSet(baskets);
        all.set(0, baskets);
        Map<List<Integer>, Long> found = new HashMap<>();
        extend(List.of(), all, 0, holds, least, found);
        return found;
    }

    private static void extend(List<Integer> items, BitSet in, int from, BitSet[] holds, long least,
            Map<List<Integer>, Long> found) {
        for (int item = from; item < holds.length; item++) {
            BitSet both = (BitSet) in.clone();
            both.and(holds[item]);
            if (both.cardinality() >= least) {
                List<Integer> longer = new ArrayList<>(items);
                longer.add(item);
                found.put(longer, (long) both.cardinality());
                extend(longer, both, item + 1, holds, least, found);
            }
        }
    }
}
