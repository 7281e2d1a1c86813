package io.weft.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a program found: named values and the problems that make it wrong; written as one JSON object. */
public final class Outcome {
    private final Map<String, Object> values = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    /** Sets a value; the unit of a time or size belongs in the key. */
    public Outcome put(String key, Object value) {
        values.put(key, value);
        return this;
    }

    /** Says that the result is wrong, and why. */
    public void problem(String reason) {
        problems.add(reason);
    }

    /** Says that the result is wrong unless two values are equal. */
    public void same(String what, Object found, Object expected) {
        if (!found.equals(expected)) {
            problem(what + " is " + found + ", expected " + expected);
        }
    }

    /** The value of a key, or null. */
    public Object get(String key) {
        return values.get(key);
    }

    /** True when no problem was found. */
    public boolean valid() {
        return problems.isEmpty();
    }

    /** All problems in the order found, or the empty text. */
    public String reason() {
        return String.join("; ", problems);
    }

    /** Writes the JSON object; the file appears whole or not at all. */
    public void write(Path file) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("valid", valid());
        if (!valid()) {
            all.put("reason", reason());
        }
        all.putAll(values);
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.writeString(part, Json.write(all) + "\n");
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
