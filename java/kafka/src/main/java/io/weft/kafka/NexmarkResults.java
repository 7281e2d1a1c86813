package io.weft.kafka;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The rows of results, in a file for each query: its name is the first word of a row's key. */
final class NexmarkResults implements Closeable {
    private final Path directory;
    private final Map<String, OutputStream> files = new HashMap<>();
    private final Map<String, Long> counts = new HashMap<>();

    NexmarkResults(Path directory) {
        this.directory = directory;
    }

    void add(byte[] key, byte[] line) throws IOException {
        String query = new String(key, StandardCharsets.US_ASCII).split(" ", 2)[0];
        if (!query.matches("q[0-9]+")) {
            throw new IOException("the result has a row of " + query + ", which is no query");
        }
        OutputStream file = files.get(query);
        if (file == null) {
            file = new BufferedOutputStream(Files.newOutputStream(directory.resolve(query + ".csv")));
            files.put(query, file);
        }
        file.write(line);
        file.write('\n');
        counts.merge(query, 1L, Long::sum);
    }

    /** By query. */
    Map<String, Long> counts() {
        return counts;
    }

    @Override
    public void close() throws IOException {
        for (OutputStream file : files.values()) {
            file.close();
        }
    }
}
