package io.weft.core;

import java.util.zip.CRC32;

/** What TeraSort records hold, in whatever order: the sum of their CRC32, as TeraValidate of Hadoop has it, and that of their hashes. */
final class RecordSum {
    private final CRC32 crc = new CRC32();
    private final Sum128 checksums = new Sum128();
    private long hashes;

    /** Adds the record at an offset. */
    void add(byte[] bytes, int offset) {
        crc.reset();
        crc.update(bytes, offset, TeraRecord.LENGTH);
        checksums.add(crc.getValue());
        hashes += TeraRecord.hash(TeraRecord.prefix(bytes, offset), crc.getValue());
    }

    /** Adds another sum. */
    void add(RecordSum other) {
        checksums.add(other.checksums);
        hashes += other.hashes;
    }

    /** The sum of the CRC32 as hex digits. */
    String checksum() {
        return checksums.hex();
    }

    /** The sum of the hashes, which wraps at 64 bits, as hex digits. */
    String hash() {
        return Long.toHexString(hashes);
    }
}
