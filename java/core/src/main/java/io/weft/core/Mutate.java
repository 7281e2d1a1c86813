package io.weft.core;

import java.util.Arrays;
import java.util.List;

/** Makes a wrong copy of a right TeraSort output, so that tests can show that a validator fails. */
public final class Mutate {
    private Mutate() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, List.of("kind", "input", "output"), Mutate::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        String[] kinds = Arrays.stream(Mutant.values()).map(Mutant::word).toArray(String[]::new);
        String kind = options.choice("kind", options.text("kind"), kinds);
        for (Mutant mutant : Mutant.values()) {
            if (mutant.word().equals(kind)) {
                mutant.apply(options.path("input"), options.path("output"));
            }
        }
        outcome.put("kind", kind);
    }
}
