package io.weft.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Files of any file system Hadoop knows, such as {@code hdfs:}; an engine's module says with which settings. */
public abstract class HadoopFiles implements Store {
    private static final long serialVersionUID = 1L;

    /** Hadoop's settings. */
    protected abstract Configuration settings();

    private FileSystem system(Path path) throws IOException {
        return path.getFileSystem(settings());
    }

    @Override
    public List<Input> list(String name) throws IOException {
        Path path = new Path(name);
        List<Input> inputs = new ArrayList<>();
        for (FileStatus file : system(path).listStatus(path)) {
            String last = file.getPath().getName();
            if (file.isFile() && !last.startsWith("_") && !last.startsWith(".")) {
                inputs.add(new Input(file.getPath().toString(), file.getLen(), blocks(path, file)));
            }
        }
        return inputs;
    }

    private List<Block> blocks(Path path, FileStatus file) throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (BlockLocation block : system(path).getFileBlockLocations(file, 0, file.getLen())) {
            blocks.add(new Block(block.getOffset(), block.getLength(), List.of(block.getHosts())));
        }
        return blocks;
    }

    @Override
    public Reader open(String name) throws IOException {
        Path path = new Path(name);
        return new HadoopReader(system(path).open(path));
    }

    @Override
    public Writer create(String name) throws IOException {
        Path path = new Path(name);
        return new HadoopWriter(system(path).create(path, true));
    }

    @Override
    public Writer append(String name) throws IOException {
        Path path = new Path(name);
        return new HadoopWriter(system(path).append(path));
    }

    @Override
    public void commit(String from, String to) throws IOException {
        Path source = new Path(from);
        Path target = new Path(to);
        if (!system(source).rename(source, target) && !system(target).exists(target)) {
            throw new IOException("The file " + from + " cannot be renamed to " + to + ".");
        }
    }

    @Override
    public void delete(String name) throws IOException {
        Path path = new Path(name);
        system(path).delete(path, true);
    }

    private record HadoopReader(FSDataInputStream in) implements Reader {
        @Override
        public void read(long position, byte[] to, int length) throws IOException {
            // a seek only where needed keeps the read-ahead of a sequential scan
            if (in.getPos() != position) {
                in.seek(position);
            }
            in.readFully(to, 0, length);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private record HadoopWriter(FSDataOutputStream out) implements Writer {
        @Override
        public void write(byte[] bytes, int length) throws IOException {
            out.write(bytes, 0, length);
        }

        @Override
        public void close() throws IOException {
            try {
                out.close();
            } catch (IOException error) {
                // a stream that has failed throws the same exception once more, which cannot be added to itself
                throw new IOException(error.getMessage(), error);
            }
        }
    }
}
