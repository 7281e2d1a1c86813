package io.weft.spark;

import io.weft.core.Chunk;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/**
 * Writes chunks as nothing but their records, so that a shuffle block is a plain sequence of records: chunks may be
 * moved and joined as bytes, which lets Spark take its serialized shuffle path.
 */
final class ChunkSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public SerializerInstance newInstance() {
        return new Instance();
    }

    @Override
    public boolean supportsRelocationOfSerializedObjects() {
        return true;
    }

    private static final class Instance extends SerializerInstance {
        @Override
        public SerializationStream serializeStream(OutputStream out) {
            return new Out(out);
        }

        @Override
        public DeserializationStream deserializeStream(InputStream in) {
            return new In(in);
        }

        @Override
        public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
            throw new UnsupportedOperationException("only streams of chunks");
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
            throw new UnsupportedOperationException("only streams of chunks");
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
            throw new UnsupportedOperationException("only streams of chunks");
        }
    }

    private static final class Out extends SerializationStream {
        private final OutputStream out;

        Out(OutputStream out) {
            this.out = out;
        }

        @Override
        public <T> SerializationStream writeKey(T partition, ClassTag<T> tag) {
            return this;
        }

        @Override
        public <T> SerializationStream writeValue(T value, ClassTag<T> tag) {
            Chunk chunk = (Chunk) value;
            try {
                out.write(chunk.bytes, chunk.offset, chunk.length);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
            return this;
        }

        @Override
        public <T> SerializationStream writeObject(T value, ClassTag<T> tag) {
            throw new UnsupportedOperationException("only pairs of partition and chunk");
        }

        @Override
        public void flush() {
            try {
                out.flush();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        @Override
        public void close() {
            try {
                out.close();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }

    private static final class In extends DeserializationStream {
        private final InputStream in;

        In(InputStream in) {
            this.in = in;
        }

        @Override
        public scala.collection.Iterator<scala.Tuple2<Object, Object>> asKeyValueIterator() {
            return new ChunkReader(in);
        }

        @Override
        public <T> T readObject(ClassTag<T> tag) {
            throw new UnsupportedOperationException("only pairs of partition and chunk");
        }

        @Override
        public void close() {
            try {
                in.close();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }
}
