package io.weft.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Patterns of files, as Flink has them; tests/local/test_tables.py runs queries. */
class SqlTest {
    @Test
    void aPatternBecomesADirectoryAndAnExpressionForWholePaths() {
        Sql.Pattern found = Sql.Pattern.of("/lustre/me/day-*/part.?.parquet");
        assertEquals("/lustre/me", found.directory());
        assertTrue("/lustre/me/day-1/part.7.parquet".matches(found.regex()));
        assertTrue("file:/lustre/me/day-1/part.7.parquet".matches(found.regex()));
        assertFalse("/lustre/me/day-1/more/part.7.parquet".matches(found.regex()));
        assertFalse("/lustre/me/day-1/part.77.parquet".matches(found.regex()));
        assertFalse("/lustre/me/day-1/partx7.parquet".matches(found.regex()));
    }

    @Test
    void namesInDoubleQuotesAreInBackticksAndTextIsNotChanged() {
        assertEquals("SELECT a AS `30 days`, 'it''s \"quoted\"' AS `b`",
                Sql.names("SELECT a AS \"30 days\", 'it''s \"quoted\"' AS \"b\""));
    }

    @Test
    void aPathWithoutAPatternIsItself() {
        assertEquals(new Sql.Pattern("/lustre/me/visits", ""), Sql.Pattern.of("/lustre/me/visits"));
    }
}
