package io.weft.flink;

import io.weft.core.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;

/** Files of any file system Flink knows, such as {@code hdfs:} with Hadoop's client on the class path. */
public final class FlinkStore implements Store {
    private static final long serialVersionUID = 1L;

    @Override
    public List<Input> list(String name) throws IOException {
        Path path = new Path(name);
        List<Input> inputs = new ArrayList<>();
        for (FileStatus file : path.getFileSystem().listStatus(path)) {
            String last = file.getPath().getName();
            if (!file.isDir() && !last.startsWith("_") && !last.startsWith(".")) {
                inputs.add(new Input(file.getPath().toString(), file.getLen(), blocks(path, file)));
            }
        }
        return inputs;
    }

    private static List<Block> blocks(Path path, FileStatus file) throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (BlockLocation block : path.getFileSystem().getFileBlockLocations(file, 0, file.getLen())) {
            blocks.add(new Block(block.getOffset(), block.getLength(), List.of(block.getHosts())));
        }
        return blocks;
    }

    @Override
    public Reader open(String name) throws IOException {
        Path path = new Path(name);
        return new StreamReader(path.getFileSystem().open(path));
    }

    @Override
    public Writer create(String name) throws IOException {
        Path path = new Path(name);
        return new StreamWriter(path.getFileSystem().create(path, WriteMode.OVERWRITE));
    }

    @Override
    public Writer append(String name) throws IOException {
        throw new IOException("Flink's file systems cannot write behind the end of a file: " + name + ".");
    }

    @Override
    public void commit(String from, String to) throws IOException {
        Path source = new Path(from);
        Path target = new Path(to);
        FileSystem system = source.getFileSystem();
        if (!system.rename(source, target) && !system.exists(target)) {
            throw new IOException("The file " + from + " cannot be renamed to " + to + ".");
        }
    }

    @Override
    public void delete(String name) throws IOException {
        Path path = new Path(name);
        if (path.getFileSystem().exists(path)) {
            path.getFileSystem().delete(path, true);
        }
    }

    private record StreamReader(FSDataInputStream in) implements Reader {
        @Override
        public void read(long position, byte[] to, int length) throws IOException {
            // a seek only where needed keeps the read-ahead of a sequential scan
            if (in.getPos() != position) {
                in.seek(position);
            }
            if (in.readNBytes(to, 0, length) < length) {
                throw new IOException("An input file became shorter while it was read.");
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private record StreamWriter(FSDataOutputStream out) implements Writer {
        @Override
        public void write(byte[] bytes, int length) throws IOException {
            out.write(bytes, 0, length);
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
