package org.apache.hadoop.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecureIOUtilsTest {
    @TempDir
    Path directory;
    private File file;
    private String owner;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(directory.resolve("file"), "text").toFile();
        owner = Files.getOwner(file.toPath()).getName();
    }

    @Test
    void aFileOfItsOwnerIsOpened() throws IOException {
        try (var stream = SecureIOUtils.openForRead(file, owner, null);
                var data = SecureIOUtils.openFSDataInputStream(file, owner, null);
                var random = SecureIOUtils.openForRandomRead(file, "r", owner, null)) {
            assertEquals("text", new String(stream.readAllBytes()));
            assertEquals('t', data.read());
            assertEquals(4, random.length());
        }
    }

    @Test
    void anothersFileIsNot() {
        assertThrows(IOException.class, () -> SecureIOUtils.openForRead(file, "somebody-else", null));
        assertThrows(IOException.class, () -> SecureIOUtils.openFSDataInputStream(file, "somebody-else", null));
        assertThrows(IOException.class, () -> SecureIOUtils.openForRandomRead(file, "r", "somebody-else", null));
    }

    @Test
    void aNewFileIsNewAndHasItsPermissions() throws IOException {
        File made = directory.resolve("made").toFile();
        try (FileOutputStream stream = SecureIOUtils.createForWrite(made, 0640)) {
            stream.write(1);
        }
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(made.toPath())));
        assertThrows(SecureIOUtils.AlreadyExistsException.class, () -> SecureIOUtils.createForWrite(made, 0640));
    }
}
