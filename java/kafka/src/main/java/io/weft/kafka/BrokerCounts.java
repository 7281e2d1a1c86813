package io.weft.kafka;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;

/**
 * Reads what a broker counts, each second, within its own process, and appends it to a file: no port has to be open for
 * it. Without the variable that names a directory it does nothing.
 */
public final class BrokerCounts implements MetricsReporter {
    /** A directory of the record. */
    static final String DIRECTORY = "WEFT_KAFKA_COUNTS";
    private static final String BROKER = "kafka.server:type=BrokerTopicMetrics,name=";
    private static final String REQUEST = "kafka.network:type=RequestMetrics,name=TotalTimeMs,request=";

    /** Where a counter is: a bean and its attribute; of several beans the sum. */
    private record Place(String bean, String attribute) {
    }

    private static final Map<String, Place> COUNTERS = new LinkedHashMap<>();

    static {
        COUNTERS.put("messages_in", new Place(BROKER + "MessagesInPerSec", "Count"));
        COUNTERS.put("bytes_in", new Place(BROKER + "BytesInPerSec", "Count"));
        COUNTERS.put("bytes_out", new Place(BROKER + "BytesOutPerSec", "Count"));
        COUNTERS.put("bytes_replicated", new Place(BROKER + "ReplicationBytesInPerSec", "Count"));
        COUNTERS.put("failed_produce", new Place(BROKER + "FailedProduceRequestsPerSec", "Count"));
        COUNTERS.put("produce", new Place(REQUEST + "Produce", "Count"));
        COUNTERS.put("fetch", new Place(REQUEST + "FetchConsumer", "Count"));
        COUNTERS.put("flushes", new Place("kafka.log:type=LogFlushStats,name=LogFlushRateAndTimeMs", "Count"));
        COUNTERS.put("bytes_stored", new Place("kafka.log:type=Log,name=Size,*", "Value"));
    }

    private static final AtomicBoolean FIRST = new AtomicBoolean(true);

    private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    private ScheduledExecutorService clock;
    private Path file;

    /** As Kafka makes it. */
    public BrokerCounts() {
    }

    /** Of which only {@link #read} is called. */
    BrokerCounts(Path file) {
        this.file = file;
    }

    @Override
    public void configure(Map<String, ?> settings) {
        String directory = System.getenv(DIRECTORY);
        // a process that is controller and broker makes one for each role
        if (directory == null || !FIRST.compareAndSet(true, false)) {
            return;
        }
        file = Path.of(directory, System.getenv().getOrDefault("WEFT_NODE", "" + settings.get("node.id")) + ".tsv");
    }

    @Override
    public void init(List<KafkaMetric> metrics) {
        if (file == null) {
            return;
        }
        clock = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "weft-broker-counts");
            thread.setDaemon(true);
            return thread;
        });
        clock.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    /** A clock never calls again what has thrown: a second in which the file cannot be written is a gap. */
    void tick() {
        try {
            read();
        } catch (java.io.UncheckedIOException gap) {
            System.err.println("weft-broker-counts: " + gap.getCause());
        }
    }

    void read() {
        StringBuilder lines = new StringBuilder();
        String now = String.format(Locale.ROOT, "%.3f", System.currentTimeMillis() / 1e3);
        COUNTERS.forEach((name, place) -> {
            Double value = value(place);
            if (value != null) {
                lines.append(now).append('\t').append(name).append('\t').append(value).append('\n');
            }
        });
        try {
            Files.writeString(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    /** Null while there is no such bean: many appear with the first request of their kind. */
    private Double value(Place place) {
        try {
            Double sum = null;
            for (ObjectName name : beans.queryNames(new ObjectName(place.bean()), null)) {
                double value = ((Number) beans.getAttribute(name, place.attribute())).doubleValue();
                sum = sum == null ? value : sum + value;
            }
            return sum;
        } catch (JMException gone) {
            return null;
        }
    }

    @Override
    public void metricChange(KafkaMetric metric) {
        // beans are read when they are wanted
    }

    @Override
    public void metricRemoval(KafkaMetric metric) {
        // beans are read when they are wanted
    }

    @Override
    public void close() {
        if (clock != null) {
            clock.shutdown();
        }
    }
}
