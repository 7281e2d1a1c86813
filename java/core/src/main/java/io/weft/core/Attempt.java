package io.weft.core;

import java.io.Closeable;
import java.io.IOException;

/**
 * Writes one part under a name of its own and gives it its final name when it is whole, so that a failed, repeated or
 * speculative attempt leaves nothing under a final name but a whole part.
 */
public final class Attempt implements Closeable {
    private final Store store;
    private final String name;
    private final String target;
    private final Store.Writer out;

    /** @param attempt a number or name that no other attempt at the same part has */
    Attempt(Store store, String directory, int number, Object attempt) throws IOException {
        this.store = store;
        target = directory + "/" + PartFiles.name(number);
        name = aside(directory) + "/" + PartFiles.name(number) + "." + attempt;
        out = store.create(name);
    }

    /** Where attempts are written; to be deleted at the end of the job. */
    public static String aside(String directory) {
        return directory + "/_temporary";
    }

    /** @throws WrongInput when there is a file in an output directory already */
    public static void requireEmpty(String directory) throws IOException {
        try {
            if (!Store.of(directory).list(directory).isEmpty()) {
                throw new WrongInput("The output directory " + directory + " is not empty.");
            }
        } catch (java.nio.file.NoSuchFileException | java.io.FileNotFoundException absent) {
            // created by the first task that writes
        }
    }

    void write(byte[] bytes, int length) throws IOException {
        out.write(bytes, length);
    }

    /** Makes the part final. */
    void commit() throws IOException {
        out.close();
        store.commit(name, target);
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
