package io.weft.spark;

import io.weft.core.Outcome;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** The context that is there before its program. A program whose settings are others gets a new one. */
final class ReadyContext {
    private static final String NAME = "spark.app.name";
    private static final String LOGS = "spark.eventLog.enabled";
    private static final String DIRECTORY = "spark.eventLog.dir";
    private static JavaSparkContext ready;
    private static String events = "";
    private static Set<String> own = Set.of();

    private ReadyContext() {
    }

    /** Makes one, waits for its executors, and has them load classes. */
    static void open(int executors) throws InterruptedException, IOException {
        Set<Object> before = new HashSet<>(System.getProperties().keySet());
        ready = new JavaSparkContext(new SparkConf());
        Session.await(ready, executors);
        Warm.run(ready);
        // Spark leaves those of this context, such as the address of its page, and the next conf would begin with them
        System.getProperties().keySet().removeIf(key -> key.toString().startsWith("spark.") && !before.contains(key));
    }

    /** From now on it is a program's, whose events are logged in a directory, or nowhere if that is empty. */
    static void give(String directory) {
        events = directory;
    }

    /** The context of a program: the one that is ready, if the program has no settings of its own, or a new one. */
    static JavaSparkContext of(SparkConf conf) {
        JavaSparkContext found = ready;
        ready = null;
        if (found == null) {
            return new JavaSparkContext(conf);
        }
        own = added(conf);
        if (own.isEmpty()) {
            ReadyEvents.log(found.sc(), conf.get(NAME), events);
            return found;
        }
        found.close();
        if (!events.isEmpty()) {
            conf.set(LOGS, "true").set(DIRECTORY, events);
        }
        return new JavaSparkContext(conf);
    }

    /** Puts the settings for which a program did not get the context that was ready, if there are some. */
    static void report(Outcome outcome) {
        if (!own.isEmpty()) {
            outcome.put("own_settings", String.join(", ", own));
        }
    }

    /** The settings that a program adds to those that it was given. */
    private static Set<String> added(SparkConf conf) {
        Set<String> found = new TreeSet<>();
        SparkConf given = new SparkConf();
        for (Tuple2<String, String> each : conf.getAll()) {
            if (!each._1().equals(NAME) && !each._2().equals(given.get(each._1(), null))) {
                found.add(each._1());
            }
        }
        return found;
    }
}
