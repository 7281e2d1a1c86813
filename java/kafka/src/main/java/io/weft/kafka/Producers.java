package io.weft.kafka;

import io.weft.core.Bounds;
import io.weft.core.Outcome;
import io.weft.core.Parallel;
import io.weft.core.Program;
import io.weft.stream.Control;
import io.weft.stream.Pong;
import io.weft.stream.Step;
import io.weft.stream.StreamRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine.Option;

/** Producers of a stream, each in a thread with a connection of its own; they publish what the collector asks for. */
public abstract class Producers extends Program {
    private static final long PAUSE_MILLIS = 20;
    // Kafka's own defaults
    private static final long REQUEST_MILLIS = 30_000;
    private static final long BLOCK_MILLIS = 60_000;
    private static final long BUFFER = 32 << 20;
    /** The longest record fits into it. */
    private static final long LEAST_BUFFER = 2 << 20;

    @Option(names = "--client", required = true)
    private Path client;

    /** Number of the first producer here. */
    @Option(names = "--from", required = true)
    private int from;

    /** Number of the first producer that is elsewhere. */
    @Option(names = "--to", required = true)
    private int to;

    @Option(names = "--linger-millis")
    @Bounds(min = 0, max = 60_000)
    private long lingerMillis;

    /** How long a record may wait for its acknowledgement. */
    @Option(names = "--patience-seconds")
    private double patience = 120;

    /** What they publish. */
    protected abstract StreamRecords records();

    @Override
    public final void run(Outcome outcome) throws Exception {
        Properties known = settings(Control.properties(client), patience, lingerMillis, Math.max(1, to - from),
                Runtime.getRuntime().maxMemory());
        List<Publisher> publishers = new ArrayList<>();
        try (Control control = new Control(client)) {
            StreamRecords spec = records();
            for (int producer = from; producer < to; producer++) {
                publishers.add(new Publisher(spec, producer,
                        new KafkaProducer<>(known, new ByteArraySerializer(), new ByteArraySerializer())));
            }
            outcome.put("records", follow(control, publishers, from));
        } finally {
            publishers.forEach(Publisher::close);
        }
    }

    /** The properties of each of so many producers in one heap. */
    static Properties settings(Properties client, double patience, long lingerMillis, int producers, long heap) {
        Properties known = new Properties();
        known.putAll(client);
        long millis = (long) (patience * 1000);
        known.put("linger.ms", "" + lingerMillis);
        known.put("delivery.timeout.ms", "" + (millis + lingerMillis));
        known.put("request.timeout.ms", "" + Math.min(REQUEST_MILLIS, millis));
        // a call that waits for memory waits for acknowledgements
        known.put("max.block.ms", "" + Math.max(BLOCK_MILLIS, millis));
        // brokers that are too slow fill all of it: a producer that has no more waits
        known.put("buffer.memory", "" + Math.max(LEAST_BUFFER, Math.min(BUFFER, heap / 2 / producers)));
        return known;
    }

    /** Takes each step when it is asked for; gives how many records were published. */
    static long follow(Control control, List<Publisher> publishers, int from) throws Exception {
        long records = 0;
        while (true) {
            for (Control.Message message : control.messages(PAUSE_MILLIS)) {
                if (message.text().equals(Control.END)) {
                    return records;
                }
                if (message.text().startsWith(Control.PING)) {
                    int ping = Integer.parseInt(message.text().substring(Control.PING.length()));
                    control.say(new Pong(ping, from, message.heardMillis() - message.sentMillis()).message());
                }
                Step step = Step.of(message.text());
                if (step == null) {
                    continue;
                }
                List<Callable<Published>> tasks = new ArrayList<>();
                publishers.forEach(each -> tasks.add(() -> each.publish(step)));
                for (Published published : Parallel.run(tasks.size(), tasks)) {
                    control.say(published.message());
                    records += step.each();
                }
            }
        }
    }
}
