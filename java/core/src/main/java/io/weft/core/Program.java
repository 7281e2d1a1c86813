package io.weft.core;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The contract every main class keeps: options in, one outcome file out, exit code 0, 1 or 2. */
@FunctionalInterface
public interface Program {
    /** The work itself; what it finds goes into the outcome. */
    void run(Options options, Outcome outcome) throws Exception;

    /**
     * Runs a program and leaves its outcome in the file of {@code --outcome}, also when it fails.
     *
     * @param keys the options the program knows besides {@code outcome}
     * @return 0 when the work was done and is right, 1 when it failed or is wrong, 2 for a bad command line
     */
    static int run(String[] args, List<String> keys, Program work) {
        Outcome outcome = new Outcome();
        try {
            List<String> known = new ArrayList<>(keys);
            known.add("outcome");
            Options options = Options.parse(args, known);
            Path file = options.path("outcome");
            attempt(work, options, outcome);
            outcome.write(file);
        } catch (UsageError error) {
            System.err.println(error.getMessage());
            return 2;
        } catch (IOException error) {
            System.err.println("The outcome file cannot be written: " + error);
            return 1;
        }
        if (!outcome.valid()) {
            System.err.println(outcome.reason());
        }
        return outcome.valid() ? 0 : 1;
    }

    private static void attempt(Program work, Options options, Outcome outcome) {
        try {
            work.run(options, outcome);
        } catch (UsageError error) {
            throw error;
        } catch (WrongInput error) {
            outcome.problem(error.getMessage());
        } catch (Throwable error) {
            // also when memory runs out: whatever stopped the work, the outcome says that it is not valid
            error.printStackTrace();
            outcome.problem("the work failed: " + error.toString().lines().findFirst().orElse(""));
        }
    }
}
