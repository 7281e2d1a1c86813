package io.weft.core;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes a wrong copy of a right output, of TeraSort's records or of lines, so that tests can show that a validator
 * fails.
 */
public final class Mutate {
    private Mutate() {
    }

    /** Makes a wrong copy of a directory. */
    private interface Fault {
        void apply(Path right, Path wrong) throws IOException;
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, List.of("kind", "input", "output", "format"), Mutate::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        Map<String, Fault> faults = new LinkedHashMap<>();
        if (options.choice("format", "records", "records", "lines").equals("lines")) {
            for (LineMutant mutant : LineMutant.values()) {
                faults.put(mutant.word(), mutant::apply);
            }
        } else {
            for (Mutant mutant : Mutant.values()) {
                faults.put(mutant.word(), mutant::apply);
            }
        }
        String kind = options.choice("kind", options.text("kind"), faults.keySet().toArray(String[]::new));
        faults.get(kind).apply(options.path("input"), options.path("output"));
        outcome.put("kind", kind);
    }
}
