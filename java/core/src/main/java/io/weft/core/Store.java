package io.weft.core;

import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.ServiceLoader;

/** The files of a job's input and output: read by position, written once, renamed when whole. */
public interface Store extends Serializable {
    /**
     * Where the files of a name are: plain names and {@code file:} by path, everything else through the store that
     * the engine's module declares as a service.
     *
     * @throws WrongInput when there is no such store
     */
    static Store of(String name) throws WrongInput {
        if (!name.matches("[a-z][a-z0-9+.-]*:.*") || name.startsWith("file:")) {
            return new PosixStore();
        }
        return ServiceLoader.load(Store.class, Store.class.getClassLoader()).findFirst()
                .orElseThrow(() -> new WrongInput("Nothing here can open " + name + "."));
    }

    /** The files in a directory, or the file itself; names with {@code _} or {@code .} in front are left out. */
    List<Input> list(String name) throws IOException;

    /** Opens a file for reading. */
    Reader open(String name) throws IOException;

    /** Creates a file, and its directory when that is not there. */
    Writer create(String name) throws IOException;

    /** Opens a file that is there, to write behind its end. */
    Writer append(String name) throws IOException;

    /** Gives a whole file its final name; when an equal attempt was first, one of the two stays. */
    void commit(String from, String to) throws IOException;

    /** Deletes a directory with all that is in it, if it is there. */
    void delete(String name) throws IOException;

    /** A file, its length in bytes, and where its blocks are, if the file system says so. */
    record Input(String name, long length, List<Block> blocks) {
        /** The hosts that have the byte at a position. */
        public List<String> hosts(long position) {
            return blocks.stream().filter(block -> block.from <= position && position < block.from + block.length)
                    .findFirst().map(Block::hosts).orElse(List.of());
        }
    }

    /** A stretch of a file that some hosts have. */
    record Block(long from, long length, List<String> hosts) {
    }

    /** An open input file. */
    interface Reader extends Closeable {
        /** Reads exactly a number of bytes from a position on. */
        void read(long position, byte[] to, int length) throws IOException;
    }

    /** An open output file; small writes must be gathered by the caller. */
    interface Writer extends Closeable {
        /** Appends bytes. */
        void write(byte[] bytes, int length) throws IOException;
    }
}
