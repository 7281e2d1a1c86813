package io.weft.core;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A job of a trace as it is to be replayed.
 *
 * @param number its place in the schedule
 * @param name its name in the trace
 * @param atMillis when it is to be submitted, after the begin of the replay
 * @param input bytes to read
 * @param shuffle bytes to shuffle; without any, the job has map tasks only
 * @param output bytes to write
 * @param maps map tasks
 * @param reduces reduce tasks
 */
public record TraceLine(int number, String name, long atMillis, long input, long shuffle, long output, int maps,
        int reduces) implements Serializable {
    private static final int COLUMNS = 6;

    /**
     * Reads a schedule: name, seconds, seconds since the job before, bytes of input, shuffle and output, with tabs.
     *
     * @param mapBytes bytes of input for each map task
     * @param reduceBytes bytes of shuffle or output, whichever is more, for each reduce task
     */
    public static List<TraceLine> read(Path schedule, long mapBytes, long reduceBytes) throws IOException {
        List<TraceLine> lines = new ArrayList<>();
        for (String text : Files.readAllLines(schedule)) {
            String[] columns = text.split("\t");
            if (columns.length != COLUMNS) {
                throw new WrongInput("The schedule " + schedule + " has a line of " + columns.length + " columns.");
            }
            long input = Long.parseLong(columns[3]);
            long shuffle = Long.parseLong(columns[4]);
            long output = Long.parseLong(columns[5]);
            int reduces = shuffle == 0 ? 0 : tasks(Math.max(shuffle, output), reduceBytes);
            lines.add(new TraceLine(lines.size(), columns[0], Math.round(Double.parseDouble(columns[1]) * 1000), input,
                    shuffle, output, tasks(input, mapBytes), reduces));
        }
        return lines;
    }

    private static int tasks(long bytes, long each) {
        return Math.toIntExact(Math.max(1, (bytes + each - 1) / each));
    }

    /** Files that it writes. */
    public int parts() {
        return reduces == 0 ? maps : reduces;
    }

    /** Where the i-th of n shares of a total begins; the last one ends at the total. */
    static long edge(long total, int i, int n) {
        return total / n * i + total % n * i / n;
    }
}
