package io.weft.core;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The part files of a directory, in the order of their numbers (10 after 9, whatever the padding). */
public final class PartFiles {
    private static final Pattern PART = Pattern.compile("part-(?:[a-z]-)?(\\d{1,9})");

    private PartFiles() {
    }

    /** The name of a part as the programs here write it, such as {@code part-00007}. */
    public static String name(int number) {
        return String.format(Locale.ROOT, "part-%05d", number);
    }

    /**
     * Finds the parts; names that begin with {@code _} or {@code .} are left out, as engines keep markers there.
     *
     * @throws WrongInput when a file is no part, when two have one number, or when there is none
     */
    public static TreeMap<Integer, Store.Input> in(String directory) throws IOException {
        TreeMap<Integer, Store.Input> parts = new TreeMap<>();
        try {
            for (Store.Input file : Store.of(directory).list(directory)) {
                add(parts, file);
            }
        } catch (java.nio.file.NoSuchFileException | java.io.FileNotFoundException error) {
            throw new WrongInput("The directory " + directory + " does not exist.");
        }
        if (parts.isEmpty()) {
            throw new WrongInput("The directory " + directory + " holds no part file.");
        }
        return parts;
    }

    /** The first number that is missing below the highest, or -1. */
    public static int gap(Map<Integer, ?> parts) {
        for (int i = 0; i < parts.size(); i++) {
            if (!parts.containsKey(i)) {
                return i;
            }
        }
        return -1;
    }

    private static void add(Map<Integer, Store.Input> parts, Store.Input file) throws WrongInput {
        String name = file.name();
        Matcher part = PART.matcher(name.substring(name.lastIndexOf('/') + 1));
        if (!part.matches()) {
            throw new WrongInput("The file " + name + " is no part file.");
        }
        Store.Input other = parts.put(Integer.valueOf(part.group(1)), file);
        if (other != null) {
            throw new WrongInput("The files " + other.name() + " and " + name + " have the same part number.");
        }
    }
}
