package io.weft.hadoop;

import io.weft.core.RangeTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Base64;
import org.apache.hadoop.conf.Configuration;

/** The ranges of a job: made of keys that the submitting program samples, and sent along in the job's settings. */
final class Ranges {
    private static final String SETTING = "weft.terasort.ranges";

    private Ranges() {
    }

    /** Puts ranges into the settings of a job. */
    static void put(RangeTable table, Configuration settings) throws IOException {
        settings.set(SETTING, text(table));
    }

    /** The ranges of the job that a task belongs to. */
    static RangeTable from(Configuration settings) throws IOException {
        byte[] bytes = Base64.getDecoder().decode(settings.get(SETTING));
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (RangeTable) in.readObject();
        } catch (ClassNotFoundException error) {
            throw new IOException(error);
        }
    }

    private static String text(RangeTable table) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(table);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
