package io.weft.kafka;

import io.weft.stream.Step;
import io.weft.stream.StreamRecords;
import io.weft.stream.Topics;
import java.io.Closeable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** One producer. It sends each record at its moment, or as soon as it can if that has passed; it omits none. */
final class Publisher implements Closeable {
    private static final int DIGITS = 2;
    /** A call that takes longer waits for memory. */
    private static final long BLOCKED_MICROS = 1000;
    private static final int QUARTERS = 4;

    private final StreamRecords spec;
    private final int producer;
    private final Producer<byte[], byte[]> out;
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    Publisher(StreamRecords spec, int producer, Producer<byte[], byte[]> out) {
        this.spec = spec;
        this.producer = producer;
        this.out = out;
        // asks where the partition is before the first step
        out.partitionsFor(Topics.RECORDS);
    }

    Published publish(Step step) throws Exception {
        Histogram late = new Histogram(DIGITS);
        Histogram acknowledged = new SynchronizedHistogram(DIGITS);
        long mostLate = 0;
        long blocked = 0;
        long lastQuarter = step.first() + step.each() * (QUARTERS - 1) / QUARTERS;
        for (long number = step.first(); number < step.first() + step.each(); number++) {
            long intended = step.intended(producer, spec.producers(), number);
            byte[] record = spec.record(step, producer, number);
            long now = until(intended);
            boolean observed = number >= lastQuarter;
            out.send(new ProducerRecord<>(Topics.RECORDS, producer, intended / 1000, null, record), (place, error) -> {
                if (error != null) {
                    failure.compareAndSet(null, error);
                } else if (observed) {
                    acknowledged.recordValue(Math.max(0, Clock.micros() - now));
                }
            });
            mostLate = Math.max(mostLate, now - intended);
            if (observed) {
                late.recordValue(Math.max(0, now - intended));
            }
            long took = Clock.micros() - now;
            blocked += took > BLOCKED_MICROS ? took : 0;
            requireAccepted();
        }
        out.flush();
        requireAccepted();
        double seconds = step.each() / step.rate();
        return new Published(step.number(), producer, late.getValueAtPercentile(50), mostLate,
                acknowledged.getValueAtPercentile(50), blocked / 1e6 / seconds);
    }

    /** Throws why a record was given up; it will not be in the brokers' log. */
    private void requireAccepted() throws Exception {
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private static long until(long intended) {
        long now = Clock.micros();
        while (now < intended) {
            LockSupport.parkNanos((intended - now) * 1000);
            now = Clock.micros();
        }
        return now;
    }

    @Override
    public void close() {
        out.close();
    }
}
