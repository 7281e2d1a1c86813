package io.weft.core;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The options of a program: {@code --key value} pairs, each key known and given once. */
public final class Options {
    private final Map<String, String> values = new HashMap<>();

    private Options() {
    }

    /**
     * Reads a command line.
     *
     * @param known the keys the program understands, without the dashes
     * @throws UsageError for an unknown or repeated key, or a key without a value
     */
    public static Options parse(String[] args, List<String> known) {
        Options options = new Options();
        for (int i = 0; i < args.length; i += 2) {
            String key = args[i].startsWith("--") ? args[i].substring(2) : "";
            if (!known.contains(key)) {
                throw new UsageError("Unknown option " + args[i] + "; did you mean --" + nearest(key, known) + "?");
            }
            if (i + 1 == args.length) {
                throw new UsageError("Option --" + key + " needs a value.");
            }
            if (options.values.put(key, args[i + 1]) != null) {
                throw new UsageError("Option --" + key + " is given twice.");
            }
        }
        return options;
    }

    /** The text of a key that must be given. */
    public String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new UsageError("Option --" + key + " is missing.");
        }
        return value;
    }

    /** The text of a key, or a default. */
    public String text(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    /** The path of a key that must be given. */
    public Path path(String key) {
        return Path.of(text(key));
    }

    /** One of some words. */
    public String choice(String key, String otherwise, String... allowed) {
        String value = text(key, otherwise);
        if (!Arrays.asList(allowed).contains(value)) {
            throw new UsageError("Option --" + key + " must be one of " + String.join(", ", allowed)
                    + ", not " + value + ".");
        }
        return value;
    }

    /** A whole number in [min, max] that must be given. */
    public long number(String key, long min, long max) {
        return bounded(key, text(key), min, max);
    }

    /** A whole number in [min, max], or a default. */
    public long number(String key, long otherwise, long min, long max) {
        return values.containsKey(key) ? number(key, min, max) : otherwise;
    }

    /** A whole number in [min, max] that fits an int, or a default. */
    public int integer(String key, int otherwise, int min, int max) {
        return (int) number(key, otherwise, min, max);
    }

    /** A number in [min, max], or a default. */
    public double decimal(String key, double otherwise, double min, double max) {
        String value = text(key, "");
        if (value.isEmpty()) {
            return otherwise;
        }
        try {
            double number = Double.parseDouble(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // falls through to the one message for all bad values
        }
        throw new UsageError("Option --" + key + " must be a number from " + min + " to " + max + ", not " + value
                + ".");
    }

    private static long bounded(String key, String value, long min, long max) {
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // falls through to the one message for all bad values
        }
        throw new UsageError("Option --" + key + " must be a whole number from " + min + " to " + max
                + ", not " + value + ".");
    }

    private static String nearest(String key, List<String> known) {
        return known.stream().min(Comparator.comparingInt(candidate -> distance(key, candidate))).orElse("outcome");
    }

    /** Levenshtein distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
