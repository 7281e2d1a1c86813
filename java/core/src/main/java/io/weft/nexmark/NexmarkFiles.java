package io.weft.nexmark;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Events as tables: a file for each kind, with a line for each event, whether it is late in front. */
public final class NexmarkFiles implements Closeable {
    private final Map<Kind, BufferedWriter> files = new EnumMap<>(Kind.class);

    /** Files in a directory that is there. */
    public NexmarkFiles(Path directory) throws IOException {
        for (Kind kind : Kind.values()) {
            Path file = directory.resolve(kind.name().toLowerCase(Locale.ROOT) + ".csv");
            files.put(kind, Files.newBufferedWriter(file, StandardCharsets.US_ASCII));
        }
    }

    /** Adds an event. */
    void add(Kind kind, boolean late, String line) throws IOException {
        BufferedWriter file = files.get(kind);
        file.write(late ? '1' : '0');
        // without the letter of its kind
        file.write(line, 1, line.length() - 1);
        file.write('\n');
    }

    @Override
    public void close() throws IOException {
        for (BufferedWriter file : files.values()) {
            file.close();
        }
    }
}
