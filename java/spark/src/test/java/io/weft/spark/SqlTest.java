package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Queries by Spark within one process: results, what was counted, and the reasons of failures. */
@ExtendWith(LocalSpark.class)
class SqlTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void table() {
        SparkSession spark = SparkSession.builder().getOrCreate();
        try {
            spark.range(100_000).selectExpr("id", "id % 10 AS digit").write().parquet(path("numbers"));
        } finally {
            spark.stop();
        }
    }

    @Test
    void eachExecutionHasAResultAndItsOwnTotals() throws Exception {
        Outcome outcome = run("first", "a,b,a", "--standard", "--query",
                text("a", "SELECT digit AS \"the digit\", count(*), count(*) FROM numbers GROUP BY digit ORDER BY 1;"),
                "--query", text("b", "SELECT 1"));
        assertEquals("", outcome.reason());
        List<Map<String, Object>> queries = queries(outcome);
        assertEquals(List.of("a-1", "b-1", "a-2"), queries.stream().map(each -> each.get("label")).toList());
        assertTrue((long) queries.get(0).get("shuffle_bytes") > 0);
        assertEquals(0L, queries.get(1).get("shuffle_bytes"));
        assertEquals(0L, queries.get(1).get("bytes_in"));
        SparkSession spark = SparkSession.builder().getOrCreate();
        try {
            assertEquals(10, spark.read().parquet(path("first") + "/a-2").count());
            assertEquals(10_000L, spark.read().parquet(path("first") + "/a-1").head().getLong(1));
        } finally {
            spark.stop();
        }
    }

    @Test
    void bytesThatAreReadAreCounted() throws Exception {
        Outcome outcome = run("counted", "sum", "--query", text("sum", "SELECT sum(id) AS sum FROM numbers"));
        // 100,000 numbers of 8 bytes, compressed
        assertTrue((long) queries(outcome).get(0).get("bytes_in") > 100_000, queries(outcome).toString());
    }

    @Test
    void aFailureHasSparksReason() throws Exception {
        String[] wrong = {"--query", text("wrong", "SELECT * FROM nowhere"), "--query", text("right", "SELECT 1 AS one")};
        Outcome outcome = run("stopped", "wrong,right", wrong);
        assertTrue(outcome.reason().startsWith("[TABLE_OR_VIEW_NOT_FOUND]"), outcome.reason());
        assertEquals(1, queries(outcome).size());
        Outcome all = run("all", "wrong,right", "--keep-going", wrong[0], wrong[1], wrong[2], wrong[3]);
        assertEquals("", all.reason());
        assertEquals("", queries(all).get(1).get("failure"));
        assertTrue(((String) queries(all).get(0).get("failure")).startsWith("[TABLE_OR_VIEW_NOT_FOUND]"));
    }

    @Test
    void aFileThatIsNotParquetIsNamed() throws Exception {
        Files.writeString(folder.resolve("text.parquet"), "this is not Parquet");
        Outcome outcome = new Sql().call("--table", "t=" + path("text.parquet"), "--query", text("q", "SELECT 1"),
                "--order", "q", "--output", path("none"), "--executors", "0");
        assertTrue(outcome.reason().contains("text.parquet"), outcome.reason());
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> queries(Outcome outcome) {
        return (List<Map<String, Object>>) outcome.get("queries");
    }

    private static Outcome run(String output, String order, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("--table", "numbers=" + path("numbers"), "--order", order,
                "--output", path(output), "--executors", "0"));
        words.addAll(List.of(more));
        return new Sql().call(words.toArray(String[]::new));
    }

    private static String text(String name, String query) throws Exception {
        return name + "=" + Files.writeString(folder.resolve(name + ".sql"), query);
    }

    private static String path(String name) {
        return folder.resolve(name).toString();
    }
}
