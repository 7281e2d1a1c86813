package org.apache.hadoop.io;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Takes precedence over Hadoop's own class of this name, which does nothing without a native library once names are proved, and no
 * jar has that library. It opens files only of who is expected to own them, as Hadoop's does. Between the look and the
 * opening another could put his own in its place, if he could write where it lies: the directories of a run are one user's.
 */
public class SecureIOUtils {
    public static RandomAccessFile openForRandomRead(File file, String mode, String owner, String group)
            throws IOException {
        require(file, owner, group);
        return new RandomAccessFile(file, mode);
    }

    public static FSDataInputStream openFSDataInputStream(File file, String owner, String group) throws IOException {
        require(file, owner, group);
        return FileSystem.getLocal(new Configuration()).getRaw().open(new Path(file.getAbsolutePath()));
    }

    public static FileInputStream openForRead(File file, String owner, String group) throws IOException {
        require(file, owner, group);
        return new FileInputStream(file);
    }

    /** A new file with these permissions, in numbers as of chmod. */
    public static FileOutputStream createForWrite(File file, int permissions) throws IOException {
        Set<PosixFilePermission> allowed = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] all = PosixFilePermission.values(); // from the owner's to others', as the bits are
        for (int i = 0; i < all.length; i++) {
            if ((permissions >> (all.length - 1 - i) & 1) != 0) {
                allowed.add(all[i]);
            }
        }
        try {
            Files.createFile(file.toPath(), PosixFilePermissions.asFileAttribute(allowed));
        } catch (FileAlreadyExistsException found) {
            throw new AlreadyExistsException(found);
        }
        return new FileOutputStream(file);
    }

    private static void require(File file, String owner, String group) throws IOException {
        PosixFileAttributes seen =
                Files.readAttributes(file.toPath(), PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        GroupPrincipal its = seen.group();
        if (owner != null && !owner.equals(seen.owner().getName()) || group != null && !group.equals(its.getName())) {
            throw new IOException(file + " belongs to " + seen.owner() + ":" + its + ", not to " + owner + ":" + group);
        }
    }

    /** There is a file where a new one was to be. */
    public static class AlreadyExistsException extends IOException {
        private static final long serialVersionUID = 1L;

        public AlreadyExistsException(String message) {
            super(message);
        }

        public AlreadyExistsException(Throwable cause) {
            super(cause);
        }
    }
}
