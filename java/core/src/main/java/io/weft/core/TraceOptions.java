package io.weft.core;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** What a replay and the check of its output have to know. */
public final class TraceOptions {
    @Option(names = "--schedule", required = true)
    private Path schedule;

    @Option(names = "--input", required = true)
    private String input;

    @Option(names = "--output", required = true)
    private String output;

    @Option(names = "--files")
    @Bounds(min = 0, max = 1_000_000)
    private int files;

    @Option(names = "--file-bytes")
    @Bounds(min = 0, max = 1L << 50)
    private long fileBytes;

    @Option(names = "--map-bytes")
    @Bounds(min = 1, max = 1L << 50)
    private long mapBytes = 64_000_000;

    @Option(names = "--reduce-bytes")
    @Bounds(min = 1, max = 1L << 50)
    private long reduceBytes = 64_000_000;

    @Option(names = "--alone", description = "numbers of the jobs that also run alone, with commas")
    private String alone = "";

    @Option(names = "--warm-up", description = "numbers of the jobs that run before the replay, with commas")
    private String warmUp = "";

    @Option(names = "--seed")
    @Bounds(min = 0, max = 1 << 30)
    private long seed;

    /** The jobs. */
    public List<TraceLine> lines() throws IOException {
        return TraceLine.read(schedule, mapBytes, reduceBytes);
    }

    /** What their tasks do. */
    public TraceWork work() {
        return new TraceWork(input, files, fileBytes, seed);
    }

    /** The directory of all jobs' output. */
    public String output() {
        return output;
    }

    /** Numbers of the jobs that also run alone. */
    public Set<Integer> alone() {
        return numbers(alone);
    }

    /** Numbers of the jobs that run before the clock starts. */
    public Set<Integer> warmUp() {
        return numbers(warmUp);
    }

    private static Set<Integer> numbers(String listed) {
        return Arrays.stream(listed.split(",")).filter(word -> !word.isEmpty()).map(Integer::valueOf)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
