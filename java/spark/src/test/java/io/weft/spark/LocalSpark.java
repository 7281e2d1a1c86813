package io.weft.spark;

import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The settings with which the tests of a class have Spark within this process, on two threads. */
final class LocalSpark implements BeforeAllCallback, AfterAllCallback {
    private static final Map<String, String> SETTINGS = Map.of("spark.master", "local[2]", "spark.ui.enabled", "false",
            "spark.driver.host", "127.0.0.1", "spark.driver.bindAddress", "127.0.0.1",
            "spark.sql.shuffle.partitions", "2");

    @Override
    public void beforeAll(ExtensionContext context) {
        SETTINGS.forEach(System::setProperty);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        SETTINGS.keySet().forEach(System::clearProperty);
    }
}
