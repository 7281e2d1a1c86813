package io.weft.spark;

import io.weft.core.Chunk;
import io.weft.core.TeraRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import scala.Tuple2;
import scala.collection.AbstractIterator;

/**
 * Reads a stream of records in chunks of up to 32 kB, through one array that is used again. A failed fetch passes
 * through unwrapped, as Spark throws it unchecked, and makes Spark recompute the lost map output.
 */
final class ChunkReader extends AbstractIterator<Tuple2<Object, Object>> {
    private static final int RECORDS = 320;

    private final InputStream in;
    private final Chunk chunk = new Chunk();
    private final Tuple2<Object, Object> pair = new Tuple2<>(0, chunk);
    private boolean ready;
    private boolean ended;

    ChunkReader(InputStream in) {
        this.in = in;
        chunk.bytes = new byte[RECORDS * TeraRecord.LENGTH];
    }

    @Override
    public boolean hasNext() {
        if (!ready && !ended) {
            try {
                fill();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
        return ready;
    }

    @Override
    public Tuple2<Object, Object> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        ready = false;
        return pair;
    }

    private void fill() throws IOException {
        chunk.length = in.readNBytes(chunk.bytes, 0, chunk.bytes.length);
        if (chunk.length % TeraRecord.LENGTH != 0) {
            throw new IOException("A shuffle block ends within a record.");
        }
        ready = chunk.length > 0;
        ended = chunk.length < chunk.bytes.length;
        if (ended) {
            in.close();
        }
    }
}
