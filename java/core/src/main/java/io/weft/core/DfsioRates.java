package io.weft.core;

import java.util.List;

/** The figures of TestDFSIO over the timings of all files, and what was moved. */
public final class DfsioRates {
    private DfsioRates() {
    }

    /**
     * Puts the figures, in bytes a second where they are rates.
     *
     * <ul>
     * <li>{@code throughput}: all bytes by the sum of the times of all files (its "Throughput");
     * <li>{@code average_rate}, {@code rate_deviation}: mean and standard deviation of the files' rates (its "Average
     * IO rate" and "IO rate std deviation", over the population);
     * <li>{@code aggregate_rate}: all bytes by the time of the whole job (its "Total Throughput");
     * <li>{@code open_seconds}: the mean of the times that it leaves out.
     * </ul>
     */
    public static void report(List<DfsioTiming> timings, double seconds, Outcome outcome) {
        long bytes = timings.stream().mapToLong(DfsioTiming::bytes).sum();
        double time = timings.stream().mapToLong(DfsioTiming::nanos).sum() / 1e9;
        double mean = timings.stream().mapToDouble(DfsioTiming::rate).average().orElse(0);
        double square = timings.stream().mapToDouble(DfsioTiming::rate).map(rate -> rate * rate).average().orElse(0);
        double slowest = timings.stream().mapToDouble(DfsioTiming::rate).min().orElse(0);
        double open = timings.stream().mapToLong(DfsioTiming::openNanos).average().orElse(0) / 1e9;
        outcome.put("throughput", bytes / Math.max(time, 1e-9)).put("average_rate", mean)
                .put("rate_deviation", Math.sqrt(Math.max(0, square - mean * mean))).put("slowest_rate", slowest)
                .put("aggregate_rate", bytes / Math.max(seconds, 1e-9)).put("open_seconds", open);
        moved(timings, outcome);
    }

    /** Puts how many files and bytes were moved, and the sum of the files' CRC32. */
    static void moved(List<DfsioTiming> timings, Outcome outcome) {
        Sum128 sum = new Sum128();
        timings.forEach(timing -> sum.add(timing.crc()));
        long files = timings.stream().mapToInt(DfsioTiming::number).distinct().count();
        outcome.put("files", files).put("bytes", timings.stream().mapToLong(DfsioTiming::bytes).sum())
                .put("checksum", sum.hex());
    }
}
