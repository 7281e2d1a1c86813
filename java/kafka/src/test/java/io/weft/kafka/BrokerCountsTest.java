package io.weft.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters of beans with the names of Kafka's. */
class BrokerCountsTest {
    private static final List<String> BEANS = List.of("kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec",
            "kafka.log:type=Log,name=Size,topic=a,partition=0", "kafka.log:type=Log,name=Size,topic=a,partition=1");

    @TempDir
    Path folder;

    /** A counter. */
    public interface CounterMBean {
        long getCount();

        double getValue();
    }

    /** Of the same number, whatever it is asked for. */
    public record Counter(long number) implements CounterMBean {
        @Override
        public long getCount() {
            return number;
        }

        @Override
        public double getValue() {
            return number;
        }
    }

    @AfterEach
    void remove() throws Exception {
        for (String bean : BEANS) {
            if (ManagementFactory.getPlatformMBeanServer().isRegistered(new ObjectName(bean))) {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(bean));
            }
        }
    }

    @Test
    void whatIsThereIsAppendedAndOfSeveralTheirSum() throws Exception {
        Path file = folder.resolve("node1.tsv");
        BrokerCounts counts = new BrokerCounts(file);
        counts.read();
        assertEquals("", Files.readString(file), "no bean is there yet");
        long number = 5;
        for (String bean : BEANS) {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new Counter(number++), new ObjectName(bean));
        }
        counts.read();
        counts.read();
        List<String> found = Files.readAllLines(file).stream().map(line -> line.substring(line.indexOf('\t') + 1)).toList();
        List<String> once = List.of("messages_in\t5.0", "bytes_stored\t13.0");
        assertEquals(Stream.concat(once.stream(), once.stream()).toList(), found);
    }

    @Test
    void momentsHaveAPointInEveryLanguage() throws Exception {
        Locale usual = Locale.getDefault(Locale.Category.FORMAT);
        Locale.setDefault(Locale.Category.FORMAT, Locale.GERMANY);
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new Counter(5), new ObjectName(BEANS.get(0)));
            new BrokerCounts(folder.resolve("node1.tsv")).read();
        } finally {
            Locale.setDefault(Locale.Category.FORMAT, usual);
        }
        String line = Files.readString(folder.resolve("node1.tsv"));
        assertTrue(line.matches("\\d+\\.\\d{3}\tmessages_in\t5\\.0\n"), line);
    }

    @Test
    void aSecondInWhichTheFileCannotBeWrittenIsNotTheLast() throws Exception {
        Path file = folder.resolve("later/node1.tsv");
        BrokerCounts counts = new BrokerCounts(file);
        counts.tick();
        Files.createDirectory(file.getParent());
        counts.tick();
        assertTrue(Files.exists(file));
    }

    @Test
    void withoutADirectoryItDoesNothing() {
        BrokerCounts counts = new BrokerCounts();
        counts.init(List.of());
        counts.close();
        assertEquals(0, folder.toFile().list().length);
    }
}
