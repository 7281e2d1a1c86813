package io.weft.hadoop;

import io.weft.core.Outcome;
import io.weft.core.Program;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import picocli.CommandLine.Option;

/** Copies all files below a directory to another one, such as from a node's own disk to HDFS; a directory that does not exist has none. */
public final class CopyFiles extends Program {
    @Option(names = "--from", required = true)
    private String from;

    @Option(names = "--to", required = true)
    private String to;

    public static void main(String[] args) {
        main(new CopyFiles(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        Configuration settings = new HadoopStore().settings();
        FileSystem source = system(from, settings);
        FileSystem target = system(to, settings);
        Path root = source.makeQualified(new Path(from));
        long files = 0;
        long bytes = 0;
        if (source.exists(root)) {
            for (RemoteIterator<LocatedFileStatus> all = source.listFiles(root, true); all.hasNext();) {
                LocatedFileStatus file = all.next();
                String below = root.toUri().relativize(file.getPath().toUri()).getPath();
                Path copy = new Path(to, below);
                target.mkdirs(copy.getParent());
                FileUtil.copy(source, file.getPath(), target, copy, false, true, settings);
                files++;
                bytes += file.getLen();
            }
        }
        outcome.put("files", files).put("bytes", bytes);
    }

    /** Without the files of checksums that Hadoop leaves beside local ones. */
    private static FileSystem system(String name, Configuration settings) throws IOException {
        FileSystem found = new Path(name).getFileSystem(settings);
        return found instanceof LocalFileSystem local ? local.getRawFileSystem() : found;
    }
}
