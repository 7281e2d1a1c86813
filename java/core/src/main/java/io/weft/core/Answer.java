package io.weft.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a job found, as lines of text that another program checks: a name, a tab, and words with spaces between them.
 * Numbers are read back as they were. The first line has the number of the others, so that a file that is cut off is refused.
 */
public final class Answer {
    private static final String LINES = "lines";

    private final List<String> written = new ArrayList<>();
    private final Map<String, String> left = new LinkedHashMap<>();

    /** Adds a line of words, which have no spaces. */
    public Answer put(String name, Object... words) {
        written.add(name + "\t" + String.join(" ", Arrays.stream(words).map(Object::toString).toList()));
        return this;
    }

    /** Adds a line of numbers. */
    public Answer putNumbers(String name, double... numbers) {
        return put(name, Arrays.stream(numbers).boxed().toArray());
    }

    /** Adds a line for each row of numbers, named with its place. */
    public Answer putRows(String name, double[][] rows) {
        for (int row = 0; row < rows.length; row++) {
            putNumbers(name + " " + row, rows[row]);
        }
        return this;
    }

    /** Writes the lines; the file appears whole or not at all. */
    public void write(Path file) throws IOException {
        List<String> all = new ArrayList<>(written.size() + 1);
        all.add(LINES + "\t" + written.size());
        all.addAll(written);
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.write(part, all);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** @throws WrongInput when there is no such file, when it is cut off, or when two of its lines have one name */
    public static Answer read(Path file) throws IOException {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (NoSuchFileException absent) {
            throw new WrongInput("The job left no answer in " + file + ".");
        }
        if (lines.isEmpty() || !lines.get(0).equals(LINES + "\t" + (lines.size() - 1))) {
            throw new WrongInput("The answer " + file + " is cut off: it has " + Math.max(0, lines.size() - 1)
                    + " lines after its first one, which is " + (lines.isEmpty() ? "missing" : lines.get(0)) + ".");
        }
        Answer answer = new Answer();
        for (String line : lines.subList(1, lines.size())) {
            int tab = line.indexOf('\t');
            String name = line.substring(0, Math.max(0, tab));
            if (answer.left.put(name, line.substring(tab + 1)) != null) {
                throw new WrongInput("The answer " + file + " has two lines " + name + ".");
            }
        }
        return answer;
    }

    /** The names of the lines that nobody took, in their order. */
    public List<String> names() {
        return List.copyOf(left.keySet());
    }

    /** Whether there is a line that nobody took. */
    public boolean has(String name) {
        return left.containsKey(name);
    }

    /** The words of a line, which counts as looked at. */
    public List<String> words(String name) throws WrongInput {
        String words = left.remove(name);
        if (words == null) {
            throw new WrongInput("The answer has no line " + name + ".");
        }
        return words.isEmpty() ? List.of() : List.of(words.split(" "));
    }

    /** The numbers of a line. */
    public double[] numbers(String name) throws WrongInput {
        try {
            return words(name).stream().mapToDouble(Double::parseDouble).toArray();
        } catch (NumberFormatException error) {
            throw new WrongInput("Line " + name + " of the answer is not of numbers: " + error.getMessage() + ".");
        }
    }

    /** The whole numbers of a line. */
    public long[] wholes(String name) throws WrongInput {
        try {
            return words(name).stream().mapToLong(Long::parseLong).toArray();
        } catch (NumberFormatException error) {
            throw new WrongInput("Line " + name + " of the answer is not of whole numbers: " + error.getMessage() + ".");
        }
    }

    /** As many whole numbers as are asked for. */
    public long[] wholes(String name, int count) throws WrongInput {
        long[] found = wholes(name);
        if (found.length != count) {
            throw new WrongInput("Line " + name + " of the answer has " + found.length + " numbers, expected " + count + ".");
        }
        return found;
    }

    /** The rows that {@link #putRows} added: as many as there are, from 0 on. */
    public double[][] rows(String name) throws WrongInput {
        List<double[]> rows = new ArrayList<>();
        while (has(name + " " + rows.size())) {
            rows.add(numbers(name + " " + rows.size()));
        }
        return rows.toArray(double[][]::new);
    }
}
