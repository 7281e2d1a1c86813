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
import picocli.CommandLine.Option;

/** Waits until all brokers take part in the cluster, creates topics, and waits until each of their partitions has a leader. */
public final class CreateTopics extends Program {
    private static final Duration LONGEST = Duration.ofMinutes(1);

    @Option(names = "--client", required = true)
    private Path client;

    @Option(names = "--brokers")
    private int brokers = 1;

    /** Partitions by name. */
    @Option(names = "--topic")
    private Map<String, Integer> topics = new TreeMap<>();

    @Option(names = "--replication", required = true)
    private short replication;

    public static void main(String[] args) {
        main(new CreateTopics(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        try (Admin admin = Admin.create(Control.properties(client))) {
            Until.complete(LONGEST, () -> absent(admin));
            List<NewTopic> wanted = topics.entrySet().stream()
                    .map(topic -> new NewTopic(topic.getKey(), topic.getValue(), replication)).toList();
            admin.createTopics(wanted).all().get();
            Until.complete(LONGEST, () -> led(admin) ? "" : "partitions of " + topics.keySet() + " have no leader");
            outcome.put("topics", topics.size());
        }
    }

    private String absent(Admin admin) throws Exception {
        int known = admin.describeCluster().nodes().get().size();
        return known >= brokers ? "" : known + " of " + brokers + " brokers take part in the cluster";
    }

    private boolean led(Admin admin) throws Exception {
        return admin.describeTopics(topics.keySet()).allTopicNames().get().values().stream()
                .flatMap(topic -> topic.partitions().stream())
                .allMatch(partition -> partition.leader() != null && !partition.leader().isEmpty());
    }
}
