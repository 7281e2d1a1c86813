package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.weft.core.PosixStore;
import io.weft.core.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One suite for both stores; Hadoop's is compared with its own local file system. */
class StoreTest {
    @TempDir
    Path folder;

    static List<Store> stores() {
        return List.of(new PosixStore(), new HadoopStore());
    }

    @ParameterizedTest
    @MethodSource("stores")
    void aFileIsWrittenCommittedListedAndRead(Store store) throws IOException {
        String directory = folder.toUri() + "out";
        write(store, directory + "/_temporary/part-00000.7", 1, 2, 3, 4, 5);
        store.commit(directory + "/_temporary/part-00000.7", directory + "/part-00000");
        store.delete(directory + "/_temporary");
        assertFalse(Files.exists(folder.resolve("out/_temporary")));
        List<Store.Input> inputs = store.list(directory);
        assertEquals(1, inputs.size());
        assertEquals(5, inputs.get(0).length());
        assertEquals(2, read(store, inputs.get(0).name(), 1, 2)[0]);
        assertArrayEquals(new byte[] {1, 2, 3}, read(store, inputs.get(0).name(), 0, 3));
        assertThrows(IOException.class, () -> read(store, inputs.get(0).name(), 3, 3));
    }

    @ParameterizedTest
    @MethodSource("stores")
    void theSecondAttemptLeavesAWholePart(Store store) throws IOException {
        String directory = folder.toUri() + "twice";
        for (int attempt = 0; attempt < 2; attempt++) {
            write(store, directory + "/_temporary/part-00000." + attempt, 9, 8, 7);
            store.commit(directory + "/_temporary/part-00000." + attempt, directory + "/part-00000");
        }
        assertArrayEquals(new byte[] {9, 8, 7}, Files.readAllBytes(folder.resolve("twice/part-00000")));
        assertThrows(IOException.class,
                () -> store.commit(directory + "/_temporary/part-00001.0", directory + "/part-00001"));
    }

    @ParameterizedTest
    @MethodSource("stores")
    void whatIsNotThereIsAnError(Store store) {
        assertThrows(IOException.class, () -> store.list(folder.toUri() + "absent"));
    }

    @Test
    void aSplitPrefersTheHostsOfItsBlock() {
        Store.Input input = new Store.Input("x", 200, List.of(
                new Store.Block(0, 100, List.of("a")), new Store.Block(100, 100, List.of("b", "c"))));
        assertEquals(List.of("a"), input.hosts(99));
        assertEquals(List.of("b", "c"), input.hosts(100));
        assertEquals(List.of(), input.hosts(200));
    }

    private static void write(Store store, String name, int... values) throws IOException {
        try (Store.Writer out = store.create(name)) {
            for (int value : values) {
                out.write(new byte[] {(byte) value, 99}, 1);
            }
        }
    }

    private static byte[] read(Store store, String name, long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        try (Store.Reader in = store.open(name)) {
            in.read(position, bytes, length);
        }
        return bytes;
    }
}
