package io.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files keep their place below the directory, and nothing is added to them. */
class CopyFilesTest {
    @TempDir
    Path folder;

    @Test
    void allFilesAreCopiedAndNothingElse() throws Exception {
        Path from = folder.resolve("from");
        Files.createDirectories(from.resolve("visits"));
        Files.createDirectories(from.resolve("pages").resolve("one"));
        Files.writeString(from.resolve("visits").resolve("part-0"), "visits");
        Files.writeString(from.resolve("pages").resolve("one").resolve("part-0"), "pages");
        Files.createFile(from.resolve("pages").resolve("_SUCCESS"));
        Path to = folder.resolve("to");
        assertEquals(3L, copied(from, to));
        assertEquals("pages", Files.readString(to.resolve("pages").resolve("one").resolve("part-0")));
        try (Stream<Path> all = Files.walk(to)) {
            List<String> found = all.filter(Files::isRegularFile).map(file -> to.relativize(file).toString()).sorted().toList();
            assertEquals(List.of("pages/_SUCCESS", "pages/one/part-0", "visits/part-0"), found);
        }
    }

    @Test
    void aDirectoryThatDoesNotExistHasNoFiles() throws Exception {
        assertEquals(0L, copied(folder.resolve("absent"), folder.resolve("to")));
    }

    private static Object copied(Path from, Path to) throws Exception {
        return new CopyFiles().call("--from", "file://" + from, "--to", "file://" + to).get("files");
    }
}
