package io.weft.kafka;

import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.stream.Control;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import picocli.CommandLine.Option;

/** Creates topics, and waits until each of their partitions has a leader. */
public final class CreateTopics extends Program {
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final long PAUSE_MILLIS = 50;

    @Option(names = "--client", required = true)
    private Path client;

    /** Partitions by name. */
    @Option(names = "--topic", required = true)
    private Map<String, Integer> topics = new TreeMap<>();

    @Option(names = "--replication", required = true)
    private short replication;

    public static void main(String[] args) {
        main(new CreateTopics(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        try (Admin admin = Admin.create(Control.properties(client))) {
            List<NewTopic> wanted = topics.entrySet().stream()
                    .map(topic -> new NewTopic(topic.getKey(), topic.getValue(), replication)).toList();
            admin.createTopics(wanted).all().get();
            long end = System.nanoTime() + LONGEST.toNanos();
            while (!led(admin)) {
                if (System.nanoTime() > end) {
                    throw new IllegalStateException("partitions of " + topics.keySet() + " have no leader");
                }
                Thread.sleep(PAUSE_MILLIS);
            }
            outcome.put("topics", topics.size());
        }
    }

    /** A topic that was just created may not be known to the broker that answers. */
    private boolean led(Admin admin) throws Exception {
        try {
            return admin.describeTopics(topics.keySet()).allTopicNames().get().values().stream()
                    .flatMap(topic -> topic.partitions().stream()).map(TopicPartitionInfo::leader)
                    .allMatch(leader -> leader != null && !leader.isEmpty());
        } catch (java.util.concurrent.ExecutionException error) {
            if (error.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw error;
        }
    }
}
