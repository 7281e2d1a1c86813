package io.weft.core;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.UnmatchedArgumentException;

/** The contract every main class keeps: options in, one outcome file out, exit code 0, 1 or 2. */
@Command
public abstract class Program {
    @Option(names = "--outcome")
    private Path file;

    /** The work itself; what it finds goes into the outcome. */
    public abstract void run(Outcome outcome) throws Exception;

    /** Runs a program and ends the process. */
    protected static void main(Program program, String... args) {
        System.exit(program.execute(args));
    }

    /**
     * Runs the program and leaves its outcome in the file of {@code --outcome}, also when it fails.
     *
     * @return 0 when the work was done and is right, 1 when it failed or is wrong, 2 for a bad command line
     */
    public final int execute(String... args) {
        Outcome outcome = new Outcome();
        try {
            parse(args);
            if (file == null) {
                throw new UsageError("Missing required option: '--outcome=<file>'");
            }
            attempt(outcome);
            outcome = written(outcome);
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

    /** Writes it, and gives what was written: of an outcome with a figure that no JSON has, such as infinity, the problem alone. */
    private Outcome written(Outcome outcome) throws IOException {
        try {
            outcome.write(file);
            return outcome;
        } catch (IllegalArgumentException noNumber) {
            Outcome without = new Outcome();
            without.problem(outcome.valid() ? "a figure cannot be written: " + noNumber.getMessage() : outcome.reason());
            without.write(file);
            return without;
        }
    }

    /** Does the work of a command line, within this process and without a file, and gives what was found. */
    public final Outcome call(String... args) throws Exception {
        Outcome outcome = new Outcome();
        parse(args);
        try {
            run(outcome);
        } catch (WrongInput wrong) {
            outcome.problem(wrong.getMessage());
        }
        return outcome;
    }

    /**
     * Sets the options.
     *
     * @throws UsageError in one sentence, for a command line that cannot be obeyed
     */
    private void parse(String... args) {
        // a value is taken as it is: a pattern may begin with @, which picocli would read as the name of a file
        CommandLine line = new CommandLine(this).setExpandAtFiles(false).setCaseInsensitiveEnumValuesAllowed(true);
        line.getCommandSpec().parser().collectErrors(true);
        List<Exception> errors = line.parseArgs(args).errors();
        for (Exception error : errors) {
            // before what is missing: it may be there under a misspelled name
            if (error instanceof UnmatchedArgumentException unknown) {
                throw new UsageError(error.getMessage() + unknown.getSuggestions().stream().findFirst()
                        .map(key -> "; did you mean " + key + "?").orElse(""));
            }
        }
        if (!errors.isEmpty()) {
            throw new UsageError(errors.get(0).getMessage());
        }
        line.getCommandSpec().options().forEach(Program::bound);
    }

    private static void bound(OptionSpec option) {
        Bounds bounds = ((Field) option.userObject()).getAnnotation(Bounds.class);
        if (bounds == null) {
            return;
        }
        Number value = option.getValue();
        boolean within = value instanceof Double decimal ? decimal >= bounds.min() && decimal <= bounds.max()
                : value.longValue() >= bounds.min() && value.longValue() <= bounds.max();
        if (!within) {
            throw new UsageError("Option " + option.longestName() + " must be from " + bounds.min() + " to "
                    + bounds.max() + ", not " + value + ".");
        }
    }

    private void attempt(Outcome outcome) {
        try {
            run(outcome);
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
