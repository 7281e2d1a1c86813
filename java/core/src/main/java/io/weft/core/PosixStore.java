package io.weft.core;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Files read and written by path, on a file system that every node has mounted. */
public final class PosixStore implements Store {
    private static final long serialVersionUID = 1L;

    private static Path path(String name) {
        return name.startsWith("file:") ? Path.of(URI.create(name).getPath()) : Path.of(name);
    }

    private static boolean visible(Path file) {
        String name = file.getFileName().toString();
        return !name.startsWith("_") && !name.startsWith(".");
    }

    @Override
    public List<Input> list(String name) throws IOException {
        Path path = path(name);
        if (!Files.exists(path)) {
            throw new NoSuchFileException(name);
        }
        try (Stream<Path> files = Files.isDirectory(path) ? Files.list(path) : Stream.of(path)) {
            return files.filter(PosixStore::visible).sorted()
                    .map(file -> new Input(file.toString(), file.toFile().length(), List.of())).toList();
        }
    }

    @Override
    public Reader open(String name) throws IOException {
        return new PosixReader(FileChannel.open(path(name)));
    }

    @Override
    public Writer create(String name) throws IOException {
        Path path = path(name);
        Files.createDirectories(path.getParent());
        return new PosixWriter(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING));
    }

    @Override
    public Writer append(String name) throws IOException {
        return new PosixWriter(FileChannel.open(path(name), StandardOpenOption.WRITE, StandardOpenOption.APPEND));
    }

    @Override
    public void commit(String from, String to) throws IOException {
        Files.move(path(from), path(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        if (Files.exists(path(name))) {
            try (Stream<Path> all = Files.walk(path(name))) {
                for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private record PosixReader(FileChannel channel) implements Reader {
        @Override
        public void read(long position, byte[] to, int length) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(to, 0, length);
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, position + buffer.position()) < 0) {
                    throw new IOException("An input file became shorter while it was read.");
                }
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private record PosixWriter(FileChannel channel) implements Writer {
        @Override
        public void write(byte[] bytes, int length) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
