package io.weft.hive;

import io.weft.job.Causes;
import io.weft.job.SqlJob;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** Queries by Hive. Hive reads a table's columns from one of its files. */
public final class Sql extends SqlJob<Session> {
    private static final String CAUSE = "Caused by: ";
    private static final Pattern LINE = Pattern.compile("\\bLine (\\d+):");

    private final Map<String, Map<String, Long>> counts = new LinkedHashMap<>();

    @Option(names = "--hiveconf")
    private Map<String, String> own = new LinkedHashMap<>();

    /** A file of properties as Hadoop writes them, for those that no command line may have. */
    @Option(names = "--settings")
    private String settings;

    public static void main(String[] args) {
        main(new Sql(), args);
    }

    @Override
    protected Session open() throws Exception {
        if (standard()) {
            // "30 days" is a name in the standard, and a string in Hive
            own.putIfAbsent("hive.support.quoted.identifiers", "standard");
        }
        return new Session(own, settings);
    }

    @Override
    protected void table(Session session, String name, String path) throws Exception {
        TableFiles files = TableFiles.of(session.conf, name, path);
        session.run(name, "CREATE EXTERNAL TABLE " + quoted(name) + " LIKE FILE PARQUET " + text(files.first())
                + " STORED AS PARQUET LOCATION " + text(files.directory()));
    }

    @Override
    protected long query(Session session, String label, String text, String to) throws Exception {
        Statement statement = Statement.of(text, session.conf);
        // columns of a result may have any name, or none, but not those of a table
        String all = standard() ? statement.into("INSERT OVERWRITE DIRECTORY " + text(to) + " STORED AS PARQUET ")
                : "CREATE EXTERNAL TABLE weft_result STORED AS PARQUET LOCATION " + text(to) + " AS\n" + text;
        counts.put(label, session.run(label, all));
        complete(to);
        return System.nanoTime();
    }

    @Override
    protected Map<String, Object> counted(String label) {
        return new LinkedHashMap<>(counts.getOrDefault(label, Map.of()));
    }

    /** The last cause that a failed task names, or else Hive's own message. */
    @Override
    protected String reason(Exception error) {
        List<String> lines = String.valueOf(error.getMessage()).lines().map(String::strip)
                .filter(line -> !line.isEmpty()).toList();
        return lines.stream().filter(line -> line.startsWith(CAUSE)).reduce((first, last) -> last)
                .map(line -> line.substring(CAUSE.length())).or(() -> lines.stream().findFirst().map(this::own))
                .map(line -> line.endsWith(":") ? line + " " + Causes.innermost(error).getMessage() : line)
                .orElse(error.toString());
    }

    /** Hive's message with the lines of the user's own file, which is the second line of the statement. */
    private String own(String message) {
        return standard() ? message
                : LINE.matcher(message).replaceAll(at -> "Line " + (Integer.parseInt(at.group(1)) - 1) + ":");
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    static String text(String value) {
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
