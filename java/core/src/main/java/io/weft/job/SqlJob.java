package io.weft.job;

import io.weft.core.Attempt;
import io.weft.core.Bounds;
import io.weft.core.Outcome;
import io.weft.core.Store;
import io.weft.core.UsageError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/**
 * SQL queries on tables of Parquet files, one after another in one session; each result becomes a directory of Parquet
 * files below the output, whose names are in the order of the rows.
 */
public abstract class SqlJob<S extends EngineSession> extends EngineJob<S> {
    @Option(names = "--table", required = true)
    private Map<String, String> tables;

    @Option(names = "--query", required = true)
    private Map<String, Path> queries;

    @Option(names = "--order", split = ",", required = true)
    private List<String> order;

    @Option(names = "--output", required = true)
    private String output;

    @Option(names = "--keep-going")
    private boolean keepGoing;

    @Option(names = "--standard")
    private boolean standard;

    /** Longest time of a query; 0: no limit. */
    @Option(names = "--limit-seconds")
    @Bounds(min = 0, max = 1_000_000_000)
    private double limit;

    @Option(names = "--columns")
    private Path columns;

    private final List<Map<String, Object>> done = new ArrayList<>();

    /** Whether the queries are in standard SQL, whose results have columns of any name. */
    protected final boolean standard() {
        return standard;
    }

    /** Names and types of a table's columns, for engines that do not read them from its files. */
    protected final List<String[]> columns(String table) throws IOException {
        try (Stream<String> lines = Files.lines(columns)) {
            return lines.map(line -> line.split("\t")).filter(line -> line[0].equals(table))
                    .map(line -> new String[] {line[1], line[2]}).toList();
        }
    }

    /** Makes files known as a table. */
    protected abstract void table(S session, String name, String path) throws Exception;

    /**
     * Runs a query; gives when its result was there, on the clock of {@link System#nanoTime}.
     *
     * @param label a name that no other execution has
     * @param to the directory of its result
     */
    protected abstract long query(S session, String label, String text, String to) throws Exception;

    /** Ends a query that the thread runs. */
    protected void end(S session, String label, Thread runs) throws Exception {
        runs.interrupt();
    }

    /** The engine's own reason of a failure, in one line. */
    protected abstract String reason(Exception error);

    /** Puts what the engine counted of each execution, by its label; called when the session has been closed. */
    protected abstract Map<String, Object> counted(String label);

    @Override
    protected final void prepare() throws Exception {
        Attempt.requireEmpty(output);
        for (String name : order) {
            if (!queries.containsKey(name)) {
                throw new UsageError("Option --order names " + name + ", which no --query is called.");
            }
        }
    }

    @Override
    protected final void work(S session, Outcome outcome) throws Exception {
        try {
            phases.time("tables", () -> {
                for (Map.Entry<String, String> table : tables.entrySet()) {
                    table(session, table.getKey(), table.getValue());
                }
                return null;
            });
        } catch (Exception error) {
            error.printStackTrace();
            outcome.problem(reason(error));
            return;
        }
        Map<String, Integer> repeats = new LinkedHashMap<>();
        for (String name : order) {
            int repeat = repeats.merge(name, 1, Integer::sum);
            Map<String, Object> one = once(session, name, repeat);
            done.add(one);
            if (!keepGoing && !one.get("failure").equals("")) {
                outcome.problem((String) one.get("failure"));
                return;
            }
        }
    }

    @Override
    protected final void closed(Outcome outcome) {
        for (Map<String, Object> one : done) {
            one.putAll(counted((String) one.get("label")));
        }
        outcome.put("queries", done);
    }

    private Map<String, Object> once(S session, String name, int repeat) throws Exception {
        Map<String, Object> found = new LinkedHashMap<>();
        String label = name + "-" + repeat;
        String text = text(Files.readString(queries.get(name)));
        String failure = "";
        double before = phases.measured();
        found.put("query", name);
        found.put("repeat", repeat);
        found.put("label", label);
        try {
            phases.measure("queries", () -> TimeLimit.run(limit, () -> query(session, label, text, output + "/" + label),
                    runs -> end(session, label, runs)), Long::longValue);
        } catch (TimeLimit.Exceeded late) {
            failure = late.getMessage();
        } catch (Exception error) {
            error.printStackTrace();
            failure = reason(error);
        }
        found.put("seconds", phases.measured() - before);
        found.put("failure", failure);
        return found;
    }

    /** Marks a result as complete: one without rows may have no file. */
    protected static void complete(String directory) throws IOException {
        Store.of(directory).create(directory + "/_SUCCESS").close();
    }

    /** A statement without the semicolon that ends it in a file. */
    static String text(String file) {
        String text = file.strip();
        return text.endsWith(";") ? text.substring(0, text.length() - 1) : text;
    }
}
