package io.weft.core.ml;

import io.weft.core.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares patterns and their counts with the right ones. */
public final class Counted {
    private Counted() {
    }

    /** Every pattern must be there, once, with its count; and no other. */
    public static <T> void check(List<Map.Entry<List<T>, Long>> found, Map<List<T>, Long> right, Outcome outcome) {
        Map<List<T>, Long> left = new HashMap<>(right);
        for (Map.Entry<List<T>, Long> one : found) {
            Long count = left.remove(one.getKey());
            if (!one.getValue().equals(count)) {
                outcome.problem("the pattern " + one.getKey() + " was counted " + one.getValue() + " times, expected "
                        + (count == null ? "none, or it was there twice" : count));
                return;
            }
        }
        if (!left.isEmpty()) {
            outcome.problem(left.size() + " of " + right.size() + " patterns are missing, such as "
                    + left.keySet().iterator().next());
        }
        outcome.put("patterns", found.size());
    }
}
