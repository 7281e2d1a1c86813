package io.weft.core.ml;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Sequences of sets of items, and those patterns that are contained in many of them.
 *
 * @param seeded draws them
 * @param sequences number of sequences
 * @param items number of different items
 */
public record Sequences(Seeded seeded, int sequences, int items) implements Serializable {
    private static final int SETS = 9;
    private static final int EACH = 3;
    private static final double SKEW = 3;

    /** 1 to 9 sets of 1 to 3 draws each, in order. */
    public List<List<Integer>> sequence(long number) {
        List<List<Integer>> found = new ArrayList<>();
        int sets = 1 + seeded.below(number, 0, SETS);
        for (int set = 0; set < sets; set++) {
            TreeSet<Integer> items = new TreeSet<>();
            int draws = 1 + seeded.below(number, 1 + set * (EACH + 1L), EACH);
            for (int draw = 0; draw < draws; draw++) {
                items.add((int) (this.items * Math.pow(seeded.uniform(number, 2 + draw + set * (EACH + 1L)), SKEW)));
            }
            found.add(new ArrayList<>(items));
        }
        return found;
    }

    /** By pattern: in how many sequences it is, for patterns of at most so many items in at least so many of them. */
    public Map<List<List<Integer>>, Long> frequent(long least, int longest) {
        List<List<List<Integer>>> all = new ArrayList<>();
        for (int number = 0; number < sequences; number++) {
            all.add(sequence(number));
        }
        Map<List<List<Integer>>, Long> found = new HashMap<>();
        List<List<List<Integer>>> shorter = List.of(List.of());
        for (int length = 1; length <= longest; length++) {
            List<List<List<Integer>>> kept = new ArrayList<>();
            for (List<List<Integer>> pattern : shorter) {
                for (List<List<Integer>> longer : extended(pattern)) {
                    long in = all.stream().filter(sequence -> contains(sequence, longer)).count();
                    if (in >= least) {
                        found.put(longer, in);
                        kept.add(longer);
                    }
                }
            }
            shorter = kept;
        }
        return found;
    }

    /** With one item more: in a set of its own behind the last one, or in the last one behind its items. */
    private List<List<List<Integer>>> extended(List<List<Integer>> pattern) {
        List<List<List<Integer>>> found = new ArrayList<>();
        for (int item = 0; item < items; item++) {
            List<List<Integer>> behind = new ArrayList<>(pattern);
            behind.add(List.of(item));
            found.add(behind);
            int last = pattern.size() - 1;
            if (last >= 0 && pattern.get(last).get(pattern.get(last).size() - 1) < item) {
                List<List<Integer>> within = new ArrayList<>(pattern);
                List<Integer> set = new ArrayList<>(pattern.get(last));
                set.add(item);
                within.set(last, set);
                found.add(within);
            }
        }
        return found;
    }

    /** Whether each set of a pattern is part of a set of the sequence, in the same order. */
    static boolean contains(List<List<Integer>> sequence, List<List<Integer>> pattern) {
        int at = 0;
        for (List<Integer> set : sequence) {
            if (at < pattern.size() && set.containsAll(pattern.get(at))) {
                at++;
            }
        }
        return at == pattern.size();
    }
}
