package io.weft.spark;

import io.weft.core.TeraRecord;
import io.weft.core.WrongInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.Partition;

/** The input of a TeraSort, cut into splits of whole records. */
final class Splits {
    final Store store;
    final List<Split> splits = new ArrayList<>();
    long bytes;

    /** A piece of an input file: some records, read by one task. */
    record Split(int index, String name, long from, long bytes, List<String> hosts) implements Partition {
    }

    /**
     * Lists the inputs.
     *
     * @param names directories or files, separated by commas
     * @throws WrongInput when there is no input or a file holds a part of a record
     */
    Splits(String names, long splitBytes) throws IOException {
        store = Store.of(names);
        long step = Math.max(1, splitBytes / TeraRecord.LENGTH) * TeraRecord.LENGTH;
        for (String name : names.split(",")) {
            for (Store.Input input : list(name)) {
                cut(input, step);
            }
        }
    }

    long rows() {
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
