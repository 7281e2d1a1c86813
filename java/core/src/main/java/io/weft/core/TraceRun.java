package io.weft.core;

import java.util.Locale;

/** Why a job of a trace runs; each has a directory for its output and a label of its own. */
public enum TraceRun {
    /** On schedule. */
    JOB,
    /** Once more after the replay, without another job beside it. */
    ALONE,
    /** Before the clock of the replay starts, so that executors and their code are warm. */
    WARM;

    /** The directory of a job's output. */
    public String directory(String output, TraceLine line) {
        return output + "/" + word() + String.format(Locale.ROOT, "-%05d", line.number());
    }

    /** A name that no other run of a job has. */
    public String label(TraceLine line) {
        return (this == JOB ? "trace" : word()) + "-" + line.number();
    }

    /** Its name in results. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
