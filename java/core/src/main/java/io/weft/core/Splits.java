package io.weft.core;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** The input of a TeraSort, cut into splits of whole records. */
public final class Splits {
    /** Where the files are. */
    public final Store store;
    /** All splits, each at its own index. */
    public final List<Split> splits = new ArrayList<>();
    private long bytes;

    /** A piece of an input file: some records, read by one task. */
    public record Split(int index, String name, long from, long bytes, List<String> hosts) implements Serializable {
    }

    /**
     * Lists the inputs.
     *
     * @param names directories or files, separated by commas
     * @throws WrongInput when there is no input or a file holds a part of a record
     */
    public Splits(String names, long splitBytes) throws IOException {
        store = Store.of(names);
        long step = Math.max(1, splitBytes / TeraRecord.LENGTH) * TeraRecord.LENGTH;
        for (String name : names.split(",")) {
            for (Store.Input input : list(name)) {
                cut(input, step);
            }
        }
    }

    /** Bytes of all splits. */
    public long bytes() {
        return bytes;
    }

    /** Records of all splits. */
    public long rows() {
        return bytes / TeraRecord.LENGTH;
    }

    private List<Store.Input> list(String name) throws IOException {
        List<Store.Input> inputs;
        try {
            inputs = store.list(name);
        } catch (java.nio.file.NoSuchFileException | java.io.FileNotFoundException error) {
            throw new WrongInput("The input " + name + " does not exist.");
        }
        if (inputs.isEmpty()) {
            throw new WrongInput("The input " + name + " holds no file.");
        }
        return inputs;
    }

    private void cut(Store.Input input, long step) throws WrongInput {
        if (input.length() % TeraRecord.LENGTH != 0) {
            throw new WrongInput("The input file " + input.name() + " has " + input.length()
                    + " bytes, which is no multiple of the record length 100.");
        }
        for (long from = 0; from < input.length(); from += step) {
            long length = Math.min(step, input.length() - from);
            splits.add(new Split(splits.size(), input.name(), from, length, input.hosts(from + length / 2)));
        }
        bytes += input.length();
    }
}
