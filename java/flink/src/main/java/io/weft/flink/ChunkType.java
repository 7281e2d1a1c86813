package io.weft.flink;

import io.weft.core.Chunk;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Chunks as Flink moves them: range, length, and the records as they are. */
final class ChunkType extends TypeInformation<Chunk> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<Chunk> getTypeClass() {
        return Chunk.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<Chunk> createSerializer(SerializerConfig config) {
        return ChunkSerializer.INSTANCE;
    }

    @Override
    public String toString() {
        return "Chunk";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChunkType;
    }

    @Override
    public int hashCode() {
        return ChunkType.class.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ChunkType;
    }
}
