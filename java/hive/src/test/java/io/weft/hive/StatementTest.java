package io.weft.hive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.parse.ParseException;
import org.junit.jupiter.api.Test;

/** Where a clause goes in a query; tests/local/test_tables.py runs queries. */
class StatementTest {
    private static final Configuration DEFAULTS = new Configuration(false);

    @Test
    void aNameInDoubleQuotesIsOneWhereTheSettingSaysSo() throws Exception {
        Configuration standard = new Configuration(false);
        standard.set("hive.support.quoted.identifiers", "standard");
        String text = "SELECT sum(k) AS \"30 days\" FROM t";
        assertEquals("X " + text, Statement.of(text, standard).into("X "));
        assertThrows(ParseException.class, () -> Statement.of(text, DEFAULTS));
    }

    @Test
    void aClauseStandsBeforeTheQuery() throws Exception {
        assertEquals("X SELECT 1 FROM t", Statement.of("SELECT 1 FROM t", DEFAULTS).into("X "));
    }

    @Test
    void aClauseStandsBehindTheNamedQueriesOfWith() throws Exception {
        String with = "WITH a AS (SELECT k FROM t), b AS (SELECT max(k) m FROM a)";
        String found = Statement.of(with + "\n SELECT * FROM b UNION ALL SELECT k FROM a", DEFAULTS).into("X");
        assertEquals(with + "\nX\n SELECT * FROM b UNION ALL SELECT k FROM a", found);
    }

    @Test
    void commentsAndWordsInTextsMakeNoDifference() throws Exception {
        String with = "-- first\nwith a as (select 'with (' as w from t)";
        assertEquals(with + "\nX select w from a", Statement.of(with + " select w from a", DEFAULTS).into("X"));
    }

    @Test
    void aMessageNamesTheLineOfTheUsersFile() {
        ParseException error =
                assertThrows(ParseException.class, () -> Statement.of("SELECT k\nFORM t WHERE", DEFAULTS));
        assertTrue(error.getMessage().contains("line 2:"), error.getMessage());
    }
}
