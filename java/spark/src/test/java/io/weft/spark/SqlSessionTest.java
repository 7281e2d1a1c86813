package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.spark.SqlSession.WithoutLearning;
import java.io.IOException;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A session without the functions of the library of machine learning. */
@ExtendWith(LocalSpark.class)
class SqlSessionTest {
    private final ClassLoader own = Thread.currentThread().getContextClassLoader();

    @Test
    void theExtensionOfTheLibraryIsNotFound() throws IOException {
        assertTrue(learns(own), "this Spark's library has no extension any more");
        assertFalse(learns(new WithoutLearning(own)));
    }

    @Test
    void allElseIsFound() throws Exception {
        ClassLoader without = new WithoutLearning(own);
        String other = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister";
        assertEquals(Collections.list(own.getResources(other)), Collections.list(without.getResources(other)));
        assertSame(SqlSession.class, without.loadClass(SqlSession.class.getName()));
    }

    @Test
    void theSessionComputesAndTheThreadHasItsClassLoaderAgain() throws IOException {
        try (var sql = SqlSession.get()) {
            assertEquals(10, sql.range(10).count());
            assertSame(own, Thread.currentThread().getContextClassLoader());
        }
    }

    private static boolean learns(ClassLoader loader) throws IOException {
        return Collections.list(loader.getResources(SqlSession.EXTENSIONS)).stream()
                .anyMatch(each -> each.getPath().contains("/spark-mllib_"));
    }
}
