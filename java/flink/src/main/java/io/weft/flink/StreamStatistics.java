package io.weft.flink;

import io.weft.core.Bounds;
import io.weft.job.StreamJob;
import io.weft.stream.Topics;
import java.time.Duration;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import picocli.CommandLine.Option;

/** Totals of a stream, after each record or after each tumbling window. */
public final class StreamStatistics extends StreamJob<StreamSession> {
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
        RunningJob.checkpoint(session.flink, checkpoints(), checkpointMillis());
        session.flink.setBufferTimeout(bufferMillis);
        DataStream<Tuple2<Integer, Long>> numbers =
                session.flink.fromSource(source(), WatermarkStrategy.noWatermarks(), "records").setParallelism(tasks());
        results(numbers).sinkTo(sink()).setParallelism(1).name("results");
        RunningJob job = new RunningJob(session.flink.executeAsync("stream-statistics"), checkpoints());
        job.await();
        return new Stream() {
            @Override
            public void check() throws Exception {
                job.check();
            }

            @Override
            public int restarts() throws Exception {
                return job.restarts();
            }

            @Override
            public void stop() throws Exception {
                job.stop();
            }
        };
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
