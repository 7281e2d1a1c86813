package io.weft.flink;

import io.weft.core.Chunk;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes a chunk as two integers and its records: one object crosses the shuffle for some hundred records. */
public final class ChunkSerializer extends TypeSerializerSingleton<Chunk> {
    private static final long serialVersionUID = 1L;
    static final ChunkSerializer INSTANCE = new ChunkSerializer();

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public Chunk createInstance() {
        return new Chunk();
    }

    @Override
    public Chunk copy(Chunk from) {
        return copy(from, new Chunk());
    }

    @Override
    public Chunk copy(Chunk from, Chunk reuse) {
        hold(reuse, from.range, from.length);
        System.arraycopy(from.bytes, from.offset, reuse.bytes, 0, from.length);
        return reuse;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(Chunk chunk, DataOutputView target) throws IOException {
        target.writeInt(chunk.range);
        target.writeInt(chunk.length);
        target.write(chunk.bytes, chunk.offset, chunk.length);
    }

    @Override
    public Chunk deserialize(DataInputView source) throws IOException {
        return deserialize(new Chunk(), source);
    }

    @Override
    public Chunk deserialize(Chunk reuse, DataInputView source) throws IOException {
        hold(reuse, source.readInt(), source.readInt());
        source.readFully(reuse.bytes, 0, reuse.length);
        return reuse;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    private static void hold(Chunk chunk, int range, int length) {
        chunk.range = range;
        chunk.offset = 0;
        chunk.length = length;
        if (chunk.bytes == null || chunk.bytes.length < length) {
            chunk.bytes = new byte[length];
        }
    }

    @Override
    public TypeSerializerSnapshot<Chunk> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Flink asks for it; nothing of these jobs is ever restored from a snapshot. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Chunk> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
