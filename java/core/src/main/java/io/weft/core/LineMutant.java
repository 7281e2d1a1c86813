package io.weft.core;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Ways to make a right output of lines wrong, each as small as it can be; a validator must catch every one. */
public enum LineMutant {
    /** One line is gone. */
    LOSE,
    /** One line is there twice. */
    REPEAT,
    /** One line is gone and its neighbour there twice: the number of lines stays right. */
    LOSE_AND_REPEAT,
    /** The first and the last line have changed places; where no order is asked for, this changes nothing. */
    SWAP,
    /** The last 3 bytes of a file are gone. */
    TRUNCATE,
    /** The first digit of a line's last field is another one. */
    FIGURE,
    /** The last fields of two lines have changed places: all sums stay right. */
    CROSS,
    /** A part file is gone. */
    DROP;

    /** The name in a command line, such as {@code lose-and-repeat}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Copies the parts of a right output to a new directory and makes them wrong there. */
    public void apply(Path right, Path wrong) throws IOException {
        Files.createDirectories(wrong);
        Path largest = null;
        TreeMap<Integer, Store.Input> parts = PartFiles.in(right.toString());
        for (Store.Input input : parts.values()) {
            Path part = Path.of(input.name());
            Path copy = Files.copy(part, wrong.resolve(part.getFileName()));
            largest = largest == null || Files.size(copy) > Files.size(largest) ? copy : largest;
        }
        if (this == DROP) {
            Files.delete(wrong.resolve(Path.of(parts.firstEntry().getValue().name()).getFileName()));
            return;
        }
        String text = Files.readString(largest, StandardCharsets.ISO_8859_1);
        Files.writeString(largest, this == TRUNCATE ? text.substring(0, text.length() - 3) : rewritten(largest, text),
                StandardCharsets.ISO_8859_1);
    }

    private String rewritten(Path file, String text) throws WrongInput {
        List<String> lines = new ArrayList<>(text.lines().toList());
        if (lines.size() < 3) {
            throw new WrongInput("The file " + file + " has too few lines to make it wrong.");
        }
        int last = lines.size() - 1;
        int middle = last / 2;
        String first = lines.get(0);
        switch (this) {
            case LOSE -> lines.remove(middle);
            case REPEAT -> lines.add(middle, lines.get(middle));
            case LOSE_AND_REPEAT -> lines.set(middle, lines.get(middle + 1));
            case SWAP -> {
                lines.set(0, lines.get(last));
                lines.set(last, first);
            }
            case FIGURE -> lines.set(middle, otherDigit(lines.get(middle)));
            case CROSS -> {
                lines.set(0, key(first) + field(lines.get(last)));
                lines.set(last, key(lines.get(last)) + field(first));
            }
            default -> throw new IllegalStateException(name());
        }
        return String.join("\n", lines) + "\n";
    }

    private static String otherDigit(String line) {
        int at = key(line).length();
        char digit = line.charAt(at) == '9' ? '8' : (char) (line.charAt(at) + 1);
        return line.substring(0, at) + digit + line.substring(at + 1);
    }

    private static String key(String line) {
        return line.substring(0, line.lastIndexOf('\t') + 1);
    }

    private static String field(String line) {
        return line.substring(line.lastIndexOf('\t') + 1);
    }
}
