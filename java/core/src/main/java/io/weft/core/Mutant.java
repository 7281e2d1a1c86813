package io.weft.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.TreeMap;

/** Ways to make a right TeraSort output wrong, each as small as it can be; a validator must catch every one. */
public enum Mutant {
    /** One record is gone. */
    LOSE,
    /** One record is there twice. */
    REPEAT,
    /** One record is gone and its neighbour there twice: the row count and the order stay right. */
    LOSE_AND_REPEAT,
    /** Two records have changed places. */
    SWAP,
    /** The last 7 bytes of a file are gone. */
    TRUNCATE,
    /** One bit of a value is flipped. */
    FLIP,
    /** Two records have changed values: keys, order and all bytes stay right. */
    CROSS,
    /** The parts are in reverse order, each right in itself. */
    MISORDER,
    /** A part file is gone. */
    DROP,
    /** Parts 2 and 10 have changed names, which only an order by number sees. */
    EXCHANGE;

    /** The name in a command line, such as {@code lose-and-repeat}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Copies the parts of a right output to a new directory and makes them wrong there. */
    public void apply(Path right, Path wrong) throws IOException {
        Files.createDirectories(wrong);
        TreeMap<Integer, Path> parts = new TreeMap<>();
        for (var part : PartFiles.in(right.toString()).entrySet()) {
            Path file = Path.of(part.getValue().name());
            parts.put(part.getKey(), Files.copy(file, wrong.resolve(file.getFileName())));
        }
        switch (this) {
            case MISORDER -> reverse(parts);
            case EXCHANGE -> exchange(part(parts, 2), part(parts, 10));
            case DROP -> Files.delete(largest(parts));
            default -> rewrite(largest(parts));
        }
    }

    private void rewrite(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int length = TeraRecord.LENGTH;
        int rows = bytes.length / length;
        if (rows < 2) {
            throw new WrongInput("The file " + file + " has too few rows to make it wrong.");
        }
        int middle = rows / 2 * length;
        Files.write(file, switch (this) {
            case LOSE -> splice(bytes, middle, middle + length);
            case REPEAT -> splice(bytes, middle, middle - length);
            case LOSE_AND_REPEAT -> copied(bytes, middle - length, middle);
            case SWAP -> copied(copied(bytes, 0, middle), bytes, middle, 0);
            case TRUNCATE -> Arrays.copyOf(bytes, bytes.length - 7);
            case FLIP -> flipped(bytes, middle + TeraRecord.KEY + 40);
            case CROSS -> crossed(bytes, middle - length, middle);
            default -> throw new IllegalStateException(name());
        });
    }

    /** Everything before one place followed by everything from another on. */
    private static byte[] splice(byte[] bytes, int until, int from) {
        byte[] result = Arrays.copyOf(bytes, until + bytes.length - from);
        System.arraycopy(bytes, from, result, until, bytes.length - from);
        return result;
    }

    private static byte[] copied(byte[] bytes, int from, int to) {
        return copied(bytes, bytes, from, to);
    }

    private static byte[] copied(byte[] bytes, byte[] source, int from, int to) {
        byte[] result = bytes.clone();
        System.arraycopy(source, from, result, to, TeraRecord.LENGTH);
        return result;
    }

    private static byte[] flipped(byte[] bytes, int at) {
        byte[] result = bytes.clone();
        result[at] ^= 4;
        return result;
    }

    private static byte[] crossed(byte[] bytes, int one, int other) {
        byte[] result = bytes.clone();
        int value = TeraRecord.LENGTH - TeraRecord.KEY;
        System.arraycopy(bytes, one + TeraRecord.KEY, result, other + TeraRecord.KEY, value);
        System.arraycopy(bytes, other + TeraRecord.KEY, result, one + TeraRecord.KEY, value);
        return result;
    }

    private static void reverse(TreeMap<Integer, Path> parts) throws IOException {
        Path[] files = parts.values().toArray(Path[]::new);
        for (int i = 0, j = files.length - 1; i < j; i++, j--) {
            exchange(files[i], files[j]);
        }
    }

    private static void exchange(Path a, Path b) throws IOException {
        Path aside = a.resolveSibling("_exchange");
        Files.move(a, aside);
        Files.move(b, a);
        Files.move(aside, b);
    }

    private static Path part(TreeMap<Integer, Path> parts, int number) throws IOException {
        Path file = parts.get(number);
        if (file == null) {
            throw new WrongInput("There is no part " + number + " to make wrong.");
        }
        return file;
    }

    private static Path largest(TreeMap<Integer, Path> parts) throws IOException {
        Path largest = parts.firstEntry().getValue();
        for (Path file : parts.values()) {
            largest = Files.size(file) > Files.size(largest) ? file : largest;
        }
        return largest;
    }
}
