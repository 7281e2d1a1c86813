package io.weft.flink;

import io.weft.core.Bounds;
import io.weft.job.StreamJob;
import io.weft.stream.Topics;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import picocli.CommandLine.Option;

/** Totals of a stream, after each record or after each tumbling window. */
public final class StreamStatistics extends StreamJob<StreamSession> {
    private static final long POLL_MILLIS = 50;
    private static final long PATIENCE_SECONDS = 120;

    @Option(names = "--buffer-millis")
    @Bounds(min = 0, max = 60_000)
    private long bufferMillis = 10;

    public static void main(String[] args) {
        main(new StreamStatistics(), args);
    }

    @Override
    protected StreamSession open() {
        return new StreamSession();
    }

    @Override
    protected Stream start(StreamSession session) throws Exception {
        session.flink.enableCheckpointing(checkpointMillis(), CheckpointingMode.EXACTLY_ONCE);
        session.flink.setBufferTimeout(bufferMillis);
        Configuration own = new Configuration();
        own.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        own.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, state());
        session.flink.configure(own);
        DataStream<Tuple2<Integer, Long>> numbers =
                session.flink.fromSource(source(), WatermarkStrategy.noWatermarks(), "records").setParallelism(tasks());
        results(numbers).sinkTo(sink()).setParallelism(1).name("results");
        JobClient job = session.flink.executeAsync("stream-statistics");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (job.getJobStatus().get() != JobStatus.RUNNING) {
            check(job);
            if (System.nanoTime() > end) {
                throw new IllegalStateException("the job is still " + job.getJobStatus().get() + " after "
                        + PATIENCE_SECONDS + " s");
            }
            Thread.sleep(POLL_MILLIS);
        }
        return new Stream() {
            @Override
            public void check() throws Exception {
                StreamStatistics.check(job);
            }

            @Override
            public int restarts() throws Exception {
                return Restarts.of(job);
            }

            @Override
            public void stop() throws Exception {
                try {
                    // a job that is cancelled instead counts as failed
                    job.stopWithSavepoint(false, state() + "/savepoint", SavepointFormatType.CANONICAL)
                            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                } catch (ExecutionException | TimeoutException failed) {
                    // the validator says what is wrong with its results
                    job.cancel().get();
                }
            }
        };
    }

    private String state() {
        return checkpoints().contains("://") ? checkpoints() : "file://" + checkpoints();
    }

    private static void check(JobClient job) throws Exception {
        if (!job.getJobStatus().get().isGloballyTerminalState()) {
            return;
        }
        try {
            job.getJobExecutionResult().get();
        } catch (ExecutionException error) {
            Throwable cause = error;
            while (cause.getCause() != null && cause.getCause() != cause) {
                cause = cause.getCause();
            }
            throw new IllegalStateException(cause.toString(), error);
        }
        throw new IllegalStateException("the job ended before its stream");
    }

    private KafkaSource<Tuple2<Integer, Long>> source() throws Exception {
        return KafkaSource.<Tuple2<Integer, Long>>builder().setProperties(client()).setTopics(Topics.RECORDS)
                .setGroupId("stream-statistics").setStartingOffsets(OffsetsInitializer.earliest())
                .setDeserializer(new StreamNumbers(field())).build();
    }

    private DataStream<byte[]> results(DataStream<Tuple2<Integer, Long>> numbers) {
        if (intervalMillis() == 0) {
            return numbers.keyBy(number -> 0, Types.INT).process(new StreamRunning(producers())).setParallelism(1)
                    .name("after each record");
        }
        return numbers.windowAll(TumblingProcessingTimeWindows.of(Duration.ofMillis(intervalMillis())))
                .aggregate(new StreamSums(producers()), new StreamWindow(producers())).name("after each window");
    }

    /** Totals that are written again after a failure do not differ, so that no transaction has to delay them. */
    private KafkaSink<byte[]> sink() throws Exception {
        Properties known = client();
        known.put("linger.ms", "0");
        return KafkaSink.<byte[]>builder().setBootstrapServers(known.getProperty("bootstrap.servers"))
                .setKafkaProducerConfig(known).setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
                .setRecordSerializer(new StreamLine()).build();
    }
}
