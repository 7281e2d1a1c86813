package io.weft.core;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/**
 * Checks FileOpen in a process of its own: every byte that it read is the generator's, by the CRC32 of each round's reads,
 * and after each step as many files were there as it leaves.
 */
public final class FileOpenValidate extends AnswerCheck {
    @Mixin
    private FileOpenOptions asked;

    public static void main(String[] args) {
        main(new FileOpenValidate(), args);
    }

    @Override
    protected void check(Answer answer, Outcome outcome) throws Exception {
        asked.require();
        KnownFile file = new KnownFile(Path.of(""), asked.fileBytes, asked.seed);
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int round = 0; round < asked.rounds; round++) {
            int own = round;
            for (int size : asked.readBytes) {
                tasks.add(() -> file.crc(asked.offsets(file, own, size), size));
            }
        }
        List<Long> right = Parallel.run(Parallel.processors(), tasks);
        for (int at = 0; at < right.size(); at++) {
            int size = asked.readBytes[at % asked.readBytes.length];
            for (String opens : List.of("1", "each")) {
                String name = FileOpenOptions.reading(size, at / asked.readBytes.length, opens);
                outcome.same("CRC32 of " + name, answer.wholes(name, 1)[0], right.get(at));
            }
        }
        for (int count : asked.threads) {
            for (int round = 0; round < asked.rounds; round++) {
                for (String step : FileRates.STEPS) {
                    String name = FileOpenOptions.step(count, round, step);
                    long left = step.equals("unlink") ? 0 : (long) count * asked.files;
                    outcome.same("number of files after " + name, answer.wholes(name, 1)[0], left);
                }
            }
        }
        outcome.put("reads", 2L * asked.rounds * asked.reads * asked.readBytes.length)
                .put("bytes", 2L * asked.rounds * asked.reads * Arrays.stream(asked.readBytes).asLongStream().sum());
    }
}
