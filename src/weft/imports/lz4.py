"""The stream of LZ4 blocks that lz4-java writes (LZ4BlockOutputStream), which is Spark's codec `lz4`.

A block: `LZ4Block`, a byte with its method, then compressed size, size and checksum as little-endian integers of 4 bytes.
It is not the frame format of the program `lz4`. Checksums are not compared: a block of another size is damaged.
"""

import struct
from collections.abc import Iterator

MAGIC = b"LZ4Block"
_HEADER = struct.Struct("<8sBiii")
_RAW, _PACKED = 0x10, 0x20


def blocks(data: bytes) -> Iterator[bytes]:
    """The content of each block. Raises ValueError where the stream is damaged or ends within a block."""
    at = 0
    while at < len(data):
        if len(data) < at + _HEADER.size:
            raise ValueError("it ends within the header of a block")
        magic, token, packed, size, _ = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        if magic != MAGIC or packed < 0 or size < 0:
            raise ValueError("a block has no header")
        if len(data) < at + packed:
            raise ValueError("it ends within a block")
        body = data[at : at + packed]
        at += packed
        if size:
            yield body if token & 0xF0 == _RAW else block(body, size)


def block(packed: bytes, size: int) -> bytes:
    """One block: literals and copies of what was before, in turn. Raises ValueError if it is damaged."""
    out, at = bytearray(), 0
    try:
        while at < len(packed):
            token = packed[at]
            count, at = _length(token >> 4, packed, at + 1)
            out += packed[at : at + count]
            at += count
            if at >= len(packed):
                break
            back = packed[at] | packed[at + 1] << 8
            count, at = _length(token & 15, packed, at + 2)
            _copy(out, back, count + 4)
    except IndexError as error:
        raise ValueError("a block is damaged") from error
    if len(out) != size:
        raise ValueError("a block has another size than its header says")
    return bytes(out)


def _length(count: int, packed: bytes, at: int) -> tuple[int, int]:
    if count == 15:
        while (more := packed[at]) == 255:
            count, at = count + 255, at + 1
        count, at = count + more, at + 1
    return count, at


def _copy(out: bytearray, back: int, count: int) -> None:
    begin = len(out) - back
    if begin < 0 or back == 0:
        raise ValueError("a block is damaged")
    # a copy may reach into what it writes itself: then it repeats
    piece = bytes(out[begin : begin + count])
    out += (piece * (count // len(piece) + 1))[:count]
