package io.weft.core;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * Makes a wrong copy of a right output, of TeraSort's records or of lines, so that tests can show that a validator
 * fails.
 */
public final class Mutate extends Program {
    @Option(names = "--kind", required = true)
    private String kind;

    @Option(names = "--input", required = true)
    private Path input;

    @Option(names = "--output", required = true)
    private Path output;

    @Option(names = "--format")
    private Format format = Format.RECORDS;

    /** What the files hold. */
    enum Format {
        /** TeraSort's records. */
        RECORDS,
        /** Lines of text. */
        LINES
    }

    /** Makes a wrong copy of a directory. */
    private interface Fault {
        void apply(Path right, Path wrong) throws IOException;
    }

    public static void main(String[] args) {
        main(new Mutate(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        Map<String, Fault> faults = new LinkedHashMap<>();
        if (format == Format.LINES) {
            for (LineMutant mutant : LineMutant.values()) {
                faults.put(mutant.word(), mutant::apply);
            }
        } else {
            for (Mutant mutant : Mutant.values()) {
                faults.put(mutant.word(), mutant::apply);
            }
        }
        if (!faults.containsKey(kind)) {
            throw new UsageError("Option --kind must be one of " + String.join(", ", faults.keySet()) + ", not " + kind
                    + ".");
        }
        faults.get(kind).apply(input, output);
        outcome.put("kind", kind);
    }
}
