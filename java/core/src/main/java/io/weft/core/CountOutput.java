package io.weft.core;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a job wrote that counts strings: lines of a string, a tab and its count; compared with the right counts. */
final class CountOutput {
    private final Map<String, Long> counts = new HashMap<>();
    private final Set<String> reported = new HashSet<>();
    private final Outcome outcome;
    private final boolean descending;
    private String lastText = "";
    private long lastCount = Long.MAX_VALUE;
    private long total;

    /** @param descending whether counts must fall from line to line, and strings rise among equal counts */
    CountOutput(boolean descending, Outcome outcome) {
        this.descending = descending;
        this.outcome = outcome;
    }

    /** Reads all parts of a directory in the order of their numbers. */
    CountOutput read(String directory) throws IOException {
        TreeMap<Integer, Store.Input> parts = PartFiles.in(directory);
        int gap = PartFiles.gap(parts);
        if (gap >= 0) {
            outcome.problem("part " + gap + " is missing in " + directory);
        }
        for (Store.Input file : parts.values()) {
            try (Lines lines = new Lines(file)) {
                while (lines.next()) {
                    add(file.name(), lines.text());
                }
            }
        }
        return this;
    }

    private void add(String file, String line) throws WrongInput {
        int tab = line.lastIndexOf('\t');
        long count;
        try {
            count = Long.parseLong(line.substring(tab + 1));
        } catch (NumberFormatException notANumber) {
            throw new WrongInput("The file " + file + " has a line without a tab and a count: " + line);
        }
        String text = line.substring(0, Math.max(0, tab));
        if (counts.put(text, count) != null) {
            once("a string is there twice,", text, "");
        }
        if (descending && (count > lastCount || count == lastCount && text.compareTo(lastText) < 0)) {
            once("order is broken at", text, " in " + file);
        }
        lastText = text;
        lastCount = count;
        total += count;
    }

    /** Reports the first fault of each kind. */
    private void once(String fault, String text, String where) {
        if (reported.add(fault)) {
            outcome.problem(fault + " \"" + text + "\"" + where);
        }
    }

    /** Names the first difference of each kind, and puts the totals into the outcome. */
    void check(Map<String, Long> right) {
        long sum = 0;
        for (var entry : right.entrySet()) {
            sum += entry.getValue();
            Long found = counts.get(entry.getKey());
            if (found == null) {
                once("missing is", entry.getKey(), "");
            } else if (!found.equals(entry.getValue())) {
                once("wrong count of", entry.getKey(), ": " + found + ", expected " + entry.getValue());
            }
        }
        for (String text : counts.keySet()) {
            if (!right.containsKey(text)) {
                once("not in the input is", text, "");
            }
        }
        outcome.same("total of counts", total, sum);
        outcome.put("distinct", counts.size()).put("total", total);
    }
}
