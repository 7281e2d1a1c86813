package io.weft.stream;

import java.io.Closeable;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * The topic by which the programs of a run agree. The engine's driver sends {@code ready}; the collector answers with
 * steps, and at last {@code end}; after each step producers send what they observed.
 */
public final class Control implements Closeable {
    /** From the driver: the engine consumes. */
    public static final String READY = "ready";
    /** From the collector to the driver: there is a backlog, and the engine may begin. */
    public static final String GO = "go";
    /** From the collector: nothing follows. */
    public static final String END = "end";

    /** From the collector, with a number: the driver answers {@link #DRAINED} when the engine has consumed all records. */
    public static final String DRAIN = "drain ";
    /** From the driver, with the number that it was asked with. */
    public static final String DRAINED = "drained ";

    /** From the collector, with a number: producers answer with a {@link Pong}. */
    public static final String PING = "ping ";

    /** A message, when its sender sent it, and when it was heard, each by the clock there, in milliseconds since 1970. */
    public record Message(String text, long sentMillis, long heardMillis) {
    }

    private final Consumer<String, String> in;
    private final Producer<String, String> out;

    /** @param client the file with the properties of the run's clients */
    public Control(Path client) throws Exception {
        this(new KafkaConsumer<>(properties(client), new StringDeserializer(), new StringDeserializer()),
                new KafkaProducer<>(properties(client), new StringSerializer(), new StringSerializer()));
    }

    /** Hears and speaks by clients that are there; they are closed with it. */
    public Control(Consumer<String, String> in, Producer<String, String> out) {
        this.in = in;
        this.out = out;
        TopicPartition all = new TopicPartition(Topics.CONTROL, 0);
        in.assign(List.of(all));
        in.seekToBeginning(List.of(all));
    }

    /** Properties from a file. */
    public static Properties properties(Path file) throws Exception {
        Properties found = new Properties();
        try (Reader text = Files.newBufferedReader(file)) {
            found.load(text);
        }
        return found;
    }

    /** Sends a message, and waits until the brokers have it. */
    public void say(String message) throws Exception {
        out.send(new ProducerRecord<>(Topics.CONTROL, message)).get();
    }

    /** The texts of the next messages, of this program too; none after so many milliseconds. */
    public List<String> hear(long millis) {
        return messages(millis).stream().map(Message::text).toList();
    }

    /** The same with their times. */
    public List<Message> messages(long millis) {
        List<Message> heard = new ArrayList<>();
        var polled = in.poll(Duration.ofMillis(millis));
        long now = System.currentTimeMillis();
        polled.forEach(record -> heard.add(new Message(record.value(), record.timestamp(), now)));
        return heard;
    }

    @Override
    public void close() {
        in.close();
        out.close();
    }
}
