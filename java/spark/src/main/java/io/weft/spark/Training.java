package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.core.TeraGen;
import picocli.CommandLine.Option;

/** Loads what processes of Spark load, for the archive of their classes: sorts a few records and groups a few pairs. */
public final class Training extends Program {
    @Option(names = "--directory", required = true)
    private String directory;

    public static void main(String[] args) {
        main(new Training(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        String input = directory + "/in";
        new TeraGen().call("--rows", "10000", "--output", input);
        Outcome sorted = new TeraSort().call("--input", input, "--output", directory + "/out", "--partitions", "2",
                "--executors", "0");
        outcome.same("rows", sorted.get("rows_out"), 10_000L);
        new GroupBy().call("--executors", "0");
    }
}
