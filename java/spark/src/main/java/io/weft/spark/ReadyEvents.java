package io.weft.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkFirehoseListener;
import org.apache.spark.scheduler.EventLoggingListener;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerBlockManagerAdded;
import org.apache.spark.scheduler.SparkListenerBlockManagerRemoved;
import org.apache.spark.scheduler.SparkListenerEnvironmentUpdate;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerResourceProfileAdded;
import org.apache.spark.util.Utils;
import scala.Option;

/**
 * The event log of a program whose application was there before: it begins with what the application has, at the time
 * at which the program got it, and has nothing of what was before.
 */
public final class ReadyEvents extends SparkFirehoseListener {
    private static final List<SparkListenerEvent> HAS = new ArrayList<>();
    private static EventLoggingListener log;

    @Override
    public void onEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerApplicationStart || event instanceof SparkListenerEnvironmentUpdate
                || event instanceof SparkListenerResourceProfileAdded || event instanceof SparkListenerBlockManagerAdded
                || event instanceof SparkListenerBlockManagerRemoved || event instanceof SparkListenerExecutorAdded
                || event instanceof SparkListenerExecutorRemoved) {
            synchronized (HAS) {
                HAS.add(event);
            }
        }
    }

    /** Begins the log of a context in a directory, as spark.eventLog.dir has it; there is none if it is empty. */
    static void log(SparkContext context, String name, String directory) {
        if (directory.isEmpty()) {
            return;
        }
        log = new EventLoggingListener(context.applicationId(), Option.empty(), Utils.resolveURI(directory), context.getConf(),
                context.hadoopConfiguration());
        log.start();
        long now = System.currentTimeMillis();
        synchronized (HAS) {
            HAS.forEach(event -> put(event, name, now));
        }
        context.listenerBus().addToEventLogQueue(log);
    }

    private static void put(SparkListenerEvent event, String name, long now) {
        if (event instanceof SparkListenerApplicationStart start) {
            log.onApplicationStart(new SparkListenerApplicationStart(name, start.appId(), now, start.sparkUser(),
                    start.appAttemptId(), start.driverLogs(), start.driverAttributes()));
        } else if (event instanceof SparkListenerExecutorAdded added) {
            log.onExecutorAdded(new SparkListenerExecutorAdded(now, added.executorId(), added.executorInfo()));
        } else if (event instanceof SparkListenerBlockManagerAdded added) {
            log.onBlockManagerAdded(new SparkListenerBlockManagerAdded(now, added.blockManagerId(), added.maxMem(),
                    added.maxOnHeapMem(), added.maxOffHeapMem()));
        } else if (event instanceof SparkListenerExecutorRemoved removed) {
            log.onExecutorRemoved(new SparkListenerExecutorRemoved(now, removed.executorId(), removed.reason()));
        } else if (event instanceof SparkListenerBlockManagerRemoved removed) {
            log.onBlockManagerRemoved(new SparkListenerBlockManagerRemoved(now, removed.blockManagerId()));
        } else if (event instanceof SparkListenerEnvironmentUpdate update) {
            log.onEnvironmentUpdate(update);
        } else if (event instanceof SparkListenerResourceProfileAdded added) {
            log.onResourceProfileAdded(added);
        }
    }

    /** Ends the log of a context that has stopped. */
    static void end() {
        if (log != null) {
            log.stop();
        }
    }
}
