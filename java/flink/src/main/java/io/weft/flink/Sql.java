package io.weft.flink;

import io.weft.job.Causes;
import io.weft.job.SqlJob;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.SqlParserException;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.ValidationException;

/** Queries by Flink SQL in batch mode. Flink does not read the columns of a table from its files: they are options. */
public final class Sql extends SqlJob<Session> {
    private static final long POLL_MILLIS = 50;

    private TableEnvironment sql;
    private volatile TableResult running;

    public static void main(String[] args) {
        main(new Sql(), args);
    }

    @Override
    protected Session open() {
        sql = TableEnvironment.create(EnvironmentSettings.inBatchMode());
        return new Session(1);
    }

    @Override
    protected void table(Session session, String name, String path) throws IOException {
        List<String[]> columns = columns(name);
        String listed = columns.stream().map(column -> quoted(column[0]) + " " + column[1])
                .collect(Collectors.joining(", "));
        Pattern pattern = Pattern.of(path);
        String only = pattern.regex().isEmpty() ? ""
                : ", 'source.path.regex-pattern' = " + text(pattern.regex());
        sql.executeSql("CREATE TEMPORARY TABLE " + quoted(name) + " (" + listed
                + ") WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = " + text(pattern.directory())
                + only + ")");
    }

    @Override
    protected long query(Session session, String label, String text, String to) throws Exception {
        running = null;
        sql.getConfig().set("pipeline.name", label);
        Table rows = sql.sqlQuery(standard() ? names(text) : text);
        if (standard()) {
            // columns of a result may have any name, or none, but not in a file
            int count = rows.getResolvedSchema().getColumnCount();
            rows = rows.as("c0", IntStream.range(1, count).mapToObj(i -> "c" + i).toArray(String[]::new));
        }
        TableDescriptor files = TableDescriptor.forConnector("filesystem").format("parquet").option("path", to)
                .schema(Schema.newBuilder().fromResolvedSchema(rows.getResolvedSchema()).build()).build();
        running = rows.insertInto(files).execute();
        long ended = JobEnd.of(running.getJobClient().orElseThrow()).nanos();
        complete(to);
        return ended;
    }

    @Override
    protected void end(Session session, String label, Thread runs) throws InterruptedException {
        while (running == null) {
            // it is still being planned
            Thread.sleep(POLL_MILLIS);
        }
        running.getJobClient().ifPresent(JobClient::cancel);
    }

    @Override
    protected Map<String, Object> counted(String label) {
        return Map.of();
    }

    @Override
    protected String reason(Exception error) {
        Throwable cause = Causes.innermost(error, ValidationException.class, SqlParserException.class);
        String message = Causes.firstLine(cause.getMessage()).orElse("");
        // one word is the name of what is missing, such as a class, and the exception says so
        return message.indexOf(' ') < 0 ? cause.toString() : message;
    }

    /** A query in standard SQL with its quoted names as Flink has them: in backticks. */
    static String names(String text) {
        StringBuilder found = new StringBuilder(text.length());
        boolean literal = false;
        for (char c : text.toCharArray()) {
            literal ^= c == '\'';
            found.append(c == '"' && !literal ? '`' : c);
        }
        return found.toString();
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    private static String text(String value) {
        return "'" + value.replace("'", "''") + "'";
    }

    /** A pattern of files, as Flink has it: the directory above it, and an expression for whole paths. */
    record Pattern(String directory, String regex) {
        static Pattern of(String path) {
            String[] parts = path.split("/", -1);
            int wild = 0;
            while (wild < parts.length && !parts[wild].matches(".*[*?\\[{].*")) {
                wild++;
            }
            if (wild == parts.length) {
                return new Pattern(path, "");
            }
            StringBuilder regex = new StringBuilder(".*");
            for (char c : path.substring(path.indexOf("/")).toCharArray()) {
                regex.append(c == '*' ? "[^/]*" : c == '?' ? "[^/]" : java.util.regex.Pattern.quote(String.valueOf(c)));
            }
            return new Pattern(String.join("/", List.of(parts).subList(0, wild)), regex.toString());
        }
    }
}
