package io.weft.hive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.session.SessionState;

/**
 * The files of a table, as Hive has them: a directory, and the first of its files, whose columns are the table's.
 *
 * @param directory a file or a pattern of files is a directory of links to them
 */
record TableFiles(String directory, String first) {
    /** @throws IOException if there is no file, or only on a file system without links where they are needed */
    static TableFiles of(Configuration conf, String name, String path) throws IOException {
        Path given = new Path(path);
        FileSystem files = given.getFileSystem(conf);
        FileStatus[] found = files.globStatus(given);
        if (found == null || found.length == 0) {
            throw new IOException("no file of table " + name + ": " + path + " does not exist");
        }
        Arrays.sort(found);
        String first = first(files, found)
                .orElseThrow(() -> new IOException("no file of table " + name + ": " + path + " is empty"));
        boolean whole = found.length == 1 && found[0].isDirectory();
        return new TableFiles(whole ? found[0].getPath().toString() : linked(conf, files, name, found), first);
    }

    private static Optional<String> first(FileSystem files, FileStatus[] among) throws IOException {
        Arrays.sort(among);
        for (FileStatus each : among) {
            if (each.getPath().getName().matches("[._].*")) {
                continue;
            }
            Optional<String> found = each.isDirectory() ? first(files, files.listStatus(each.getPath()))
                    : Optional.of(each.getPath().toString());
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** A directory of links, in the session's own directory, which every node sees. */
    private static String linked(Configuration conf, FileSystem files, String name, FileStatus[] found)
            throws IOException {
        if (!(files instanceof LocalFileSystem)) {
            throw new IOException("Hive reads table " + name + " from a whole directory on " + files.getUri()
                    + ", not from a file or a pattern of files");
        }
        Path session = SessionState.getHDFSSessionPath(conf);
        java.nio.file.Path directory = Paths.get(session.toUri().getPath(), "tables", name);
        Files.createDirectories(directory);
        for (int i = 0; i < found.length; i++) {
            java.nio.file.Path link = directory.resolve(String.format(Locale.ROOT, "part-%06d", i));
            Files.createSymbolicLink(link, Paths.get(found[i].getPath().toUri().getPath()));
        }
        return "file://" + directory;
    }
}
