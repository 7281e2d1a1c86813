package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.weft.core.DfsioFile.Operation;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DfsioTest {
    private static final int FILES = 3;
    private static final long BYTES = 10_008;
    private static final int BUFFER = 4096;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(Operation.class)
    void whatAnOperationReportsIsTheValidatorsAnswer(Operation operation) throws Exception {
        if (operation != Operation.WRITE) {
            measure(Operation.WRITE);
        }
        Outcome job = new Outcome();
        DfsioRates.report(measure(operation), 2, job);
        assertEquals("", validate(operation).reason());
        assertEquals(FILES * BYTES / 2.0, job.get("aggregate_rate"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "FLIP|The file FOLDER/part-00001 has a wrong byte at offset 5000.",
        "CUT|the file FOLDER/part-00001 has 10001 bytes, expected 10008",
        "GROW|the file FOLDER/part-00001 has 10009 bytes, expected 10008",
        "ZERO|The file FOLDER/part-00001 has a wrong byte at offset 4096.",
        "DROP|number of files is 2, expected 3",
        "ADD|number of files is 4, expected 3; the file FOLDER/part-00003 is one too many",
        "EXCHANGE|has a wrong byte at offset 0."})
    void aWrongFileIsNamed(String mutant, String reason) throws Exception {
        measure(Operation.WRITE);
        mutate(mutant, part(1));
        Outcome outcome = validate(Operation.WRITE);
        assertFalse(outcome.valid());
        assertTrue(outcome.reason().contains(reason.replace("FOLDER", folder.toString())), outcome.reason());
    }

    @ParameterizedTest
    @EnumSource(value = Operation.class, names = {"READ", "RANDOM"})
    void aReadOfAWrongFileFails(Operation operation) throws Exception {
        measure(Operation.WRITE);
        byte[] bytes = Files.readAllBytes(part(1));
        Arrays.fill(bytes, (byte) 0);
        Files.write(part(1), bytes);
        measure(operation);
        String reason = validate(operation).reason();
        assertTrue(reason.startsWith("CRC32 of file 1 is") && !reason.contains("file 2"), reason);
    }

    /** All that a job which only reads can know without reading: whatever it takes for the seed is not the data's. */
    @ParameterizedTest
    @EnumSource(value = Operation.class, names = {"READ", "RANDOM"})
    void aJobThatDoesNotReadIsFound(Operation operation) throws Exception {
        answer(IntStream.range(0, FILES).mapToObj(number -> {
            DfsioFile file = file(number, DfsioFile.UNKNOWN);
            return new DfsioTiming(number, BYTES, 0, 1, file.answer(operation));
        }).toList());
        assertTrue(validate(operation).reason().startsWith("CRC32 of file 0 is"));
        answer(List.of());
        assertTrue(validate(operation).reason().contains("has no line file 0"));
    }

    @Test
    void aReadThatEndsEarlyIsFound() throws Exception {
        measure(Operation.WRITE);
        answer(measure(Operation.READ).stream().map(one -> new DfsioTiming(one.number(), one.bytes() - 8, 0, 1, one.crc()))
                .toList());
        assertTrue(validate(Operation.READ).reason().startsWith("bytes of file 0 is 10000, expected 10008"));
    }

    @Test
    void anAppendThatDidNotHappenIsFound() throws Exception {
        measure(Operation.WRITE);
        assertTrue(validate(Operation.APPEND).reason().contains("has 10008 bytes, expected 20016"));
    }

    @Test
    void eachFileAndSeedHasItsOwnContent() {
        assertNotEquals(file(0, 0).answer(Operation.READ), file(1, 0).answer(Operation.READ));
        assertNotEquals(file(0, 0).answer(Operation.READ), file(0, 1).answer(Operation.READ));
        assertNotEquals(file(0, 0).answer(Operation.READ), file(0, 0).answer(Operation.RANDOM));
    }

    @Test
    void anAnswerTakesLittleMemoryWhateverTheBuffer() {
        DfsioFile large = DfsioFile.of("none", 0, 0, 64 << 20, 64 << 20);
        DfsioFile small = DfsioFile.of("none", 0, 0, 64 << 20, 4096);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long found = large.answer(Operation.READ);
        long taken = threads.getCurrentThreadAllocatedBytes() - before;
        assertEquals(small.answer(Operation.READ), found);
        assertTrue(taken < 8 << 20, "many threads of a checker share a small heap: " + taken);
    }

    @Test
    void theGeneratorMakesTheSameFilesInPieces() throws Exception {
        for (String[] range : new String[][] {{"0", "2"}, {"2", "3"}}) {
            new DfsioGen().call("--output", folder.toString(), "--from", range[0], "--to", range[1],
                    "--bytes", "" + BYTES, "--seed", "0");
        }
        answer(IntStream.range(0, FILES).mapToObj(number -> new DfsioTiming(number, BYTES, 0, 1,
                file(number, 0).answer(Operation.WRITE))).toList());
        assertEquals("", validate(Operation.WRITE).reason());
    }

    @Test
    void theFiguresAreThoseOfTestDfsio() {
        Outcome outcome = new Outcome();
        DfsioRates.report(List.of(new DfsioTiming(0, 100, 0, 1_000_000_000L, 1),
                new DfsioTiming(1, 100, 2_000_000_000L, 500_000_000L, 2)), 4, outcome);
        assertEquals(200 / 1.5, (double) outcome.get("throughput"), 1e-9);
        assertEquals(150.0, (double) outcome.get("average_rate"), 1e-9);
        assertEquals(50.0, (double) outcome.get("rate_deviation"), 1e-9);
        assertEquals(50.0, outcome.get("aggregate_rate"));
        assertEquals(1.0, outcome.get("open_seconds"));
        assertEquals("3", outcome.get("checksum"));
    }

    @Test
    void aTimingIsTheSameAsText() {
        DfsioTiming timing = new DfsioTiming(7, 1L << 40, 3, 4, 0xffff_ffffL);
        assertEquals(timing, DfsioTiming.of(timing.text()));
    }

    private List<DfsioTiming> measure(Operation operation) throws IOException {
        List<DfsioTiming> timings = new ArrayList<>();
        for (int number = 0; number < FILES; number++) {
            boolean reads = operation == Operation.READ || operation == Operation.RANDOM;
            timings.add(file(number, reads ? DfsioFile.UNKNOWN : 0).measure(operation, Store.of(folder.toString())));
        }
        answer(timings);
        return timings;
    }

    private void answer(List<DfsioTiming> timings) throws IOException {
        Answer answer = new Answer();
        timings.forEach(timing -> timing.put(answer));
        answer.write(folder.resolve("_answer"));
    }

    private DfsioFile file(int number, long seed) {
        return DfsioFile.of(folder.toString(), number, seed, BYTES, BUFFER);
    }

    private Path part(int number) {
        return folder.resolve(PartFiles.name(number));
    }

    private void mutate(String mutant, Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        switch (mutant) {
            case "FLIP" -> bytes[5000] ^= 1;
            case "CUT" -> bytes = Arrays.copyOf(bytes, bytes.length - 7);
            case "GROW" -> bytes = Arrays.copyOf(bytes, bytes.length + 1);
            case "ZERO" -> Arrays.fill(bytes, 4096, 8192, (byte) 0);
            case "ADD" -> Files.copy(file, part(3));
            case "EXCHANGE" -> bytes = Files.readAllBytes(part(2));
            default -> { }
        }
        Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING);
        if (mutant.equals("DROP")) {
            Files.delete(file);
        }
    }

    private Outcome validate(Operation operation) throws Exception {
        return new DfsioValidate().call("--input", folder.toString(), "--files", "" + FILES, "--bytes", "" + BYTES,
                "--buffer", "" + BUFFER, "--operation", operation.name().toLowerCase(Locale.ROOT),
                "--answer", folder.resolve("_answer").toString());
    }
}
