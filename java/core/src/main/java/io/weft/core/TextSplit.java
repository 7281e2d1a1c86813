package io.weft.core;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * A stretch of an input file; the lines that begin in it are one task's. A plain class, which every serializer takes.
 */
public final class TextSplit implements Serializable {
    private static final long serialVersionUID = 1L;
    /** Bytes of a split, unless a program is given another number. */
    public static final long BYTES = 128 << 20;

    private final String name;
    /** Of the file, in bytes. */
    private final long length;
    private final long from;
    /** The byte behind the last. */
    private final long end;
    private final ArrayList<String> hosts;

    private TextSplit(Store.Input file, long from, long end) {
        this.name = file.name();
        this.length = file.length();
        this.from = from;
        this.end = end;
        this.hosts = new ArrayList<>(file.hosts((from + end) / 2));
    }

    /**
     * Cuts the files of a directory.
     *
     * @throws WrongInput when there is no input
     */
    public static List<TextSplit> of(String directory, long bytes) throws IOException {
        List<TextSplit> splits = new ArrayList<>();
        for (Store.Input file : files(directory)) {
            for (long from = 0; from < file.length(); from += bytes) {
                splits.add(new TextSplit(file, from, Math.min(from + bytes, file.length())));
            }
        }
        return splits;
    }

    /**
     * The files of a directory.
     *
     * @throws WrongInput when there is none
     */
    public static List<Store.Input> files(String directory) throws IOException {
        List<Store.Input> files;
        try {
            files = Store.of(directory).list(directory);
        } catch (java.nio.file.NoSuchFileException | java.io.FileNotFoundException error) {
            throw new WrongInput("The input " + directory + " does not exist.");
        }
        if (files.isEmpty()) {
            throw new WrongInput("The input " + directory + " holds no file.");
        }
        return files;
    }

    /** The sum of the lengths of the files of a directory, in bytes. */
    public static long bytes(String directory) throws IOException {
        return files(directory).stream().mapToLong(Store.Input::length).sum();
    }

    /** The hosts that have it, as far as the file system says so. */
    public List<String> hosts() {
        return hosts;
    }

    /** The lines that begin in it. */
    public Lines lines() throws IOException {
        return new Lines(new Store.Input(name, length, List.of()), from, end);
    }
}
