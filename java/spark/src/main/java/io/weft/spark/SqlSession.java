package io.weft.spark;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/**
 * A session for SQL without the functions that Spark's library of machine learning adds to every one: to register them
 * starts Scala's reflection, which costs more than all the rest of a session.
 */
final class SqlSession {
    static final String EXTENSIONS = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider";
    private static final String OF_LEARNING = "/spark-mllib_";

    private SqlSession() {
    }

    /** That of this program's context; it is created if there is none. */
    static SparkSession get() {
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(new WithoutLearning(own));
        try {
            return SparkSession.builder().getOrCreate();
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    /** Finds what its parent finds, but for that library's extension of sessions. */
    static final class WithoutLearning extends ClassLoader {
        WithoutLearning(ClassLoader parent) {
            super(parent);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            List<URL> found = new ArrayList<>(Collections.list(super.getResources(name)));
            if (name.equals(EXTENSIONS)) {
                found.removeIf(each -> each.getPath().contains(OF_LEARNING));
            }
            return Collections.enumeration(found);
        }
    }
}
