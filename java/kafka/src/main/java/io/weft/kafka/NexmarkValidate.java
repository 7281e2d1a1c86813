package io.weft.kafka;

import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.nexmark.NexmarkFiles;
import io.weft.nexmark.NexmarkLog;
import io.weft.nexmark.NexmarkOptions;
import io.weft.nexmark.NexmarkSpec;
import io.weft.stream.Control;
import io.weft.stream.Step;
import io.weft.stream.Topics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Reads again all that producers published and compares it with the generator, event by event. It leaves the events,
 * made again, and the rows of the engine's result as files, by which another program checks the answer.
 */
public final class NexmarkValidate extends Program {
    private static final long PATIENCE_NANOS = Duration.ofMinutes(1).toNanos();

    @Option(names = "--client", required = true)
    private Path client;

    @Mixin
    private NexmarkOptions events;

    /** The directory of the files. */
    @Option(names = "--output", required = true)
    private Path output;

    public static void main(String[] args) {
        main(new NexmarkValidate(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        var bytes = new ByteArrayDeserializer();
        try (Consumer<byte[], byte[]> in = new KafkaConsumer<>(Control.properties(client), bytes, bytes)) {
            check(in, outcome);
        }
    }

    private void check(Consumer<byte[], byte[]> in, Outcome outcome) throws Exception {
        int producers = events.spec().producers();
        List<Step> steps = new ArrayList<>();
        StreamValidate.read(in, Topics.CONTROL, 1, PATIENCE_NANOS, record -> {
            Step step = Step.of(new String(record.value(), StandardCharsets.UTF_8));
            if (step != null) {
                steps.add(step);
            }
        });
        Files.createDirectories(output);
        try (NexmarkFiles files = new NexmarkFiles(output)) {
            NexmarkLog log = new NexmarkLog(events.spec(), steps, files, outcome);
            StreamValidate.read(in, Topics.RECORDS, producers, PATIENCE_NANOS, record -> {
                if (!NexmarkSpec.isTick(record.value())) {
                    log.published(record.partition(), record.value());
                }
            });
            log.finish();
        }
        try (NexmarkResults rows = new NexmarkResults(output)) {
            StreamValidate.read(in, Topics.RESULTS, producers, PATIENCE_NANOS,
                    record -> rows.add(record.key(), record.value()));
            outcome.put("rows", rows.counts());
        }
    }
}
