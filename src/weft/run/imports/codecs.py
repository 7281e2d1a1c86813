"""What logs are compressed with: each frame of a file is decompressed in small pieces, whatever its header promises."""

import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, NamedTuple, Protocol

import lz4.block

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_PIECE = 1 << 20
"""Bytes that are decompressed at once, at most."""
_READ = 1 << 12
"""Compressed bytes that are read at once: so many are lost with a damage."""
_WINDOW: Mapping[int, int] = {zstd.DecompressionParameter.window_log_max: 27}
"""128 MiB of memory for a frame, which is the most of `zstd` without its option --long."""
_LZ4_HEADER = struct.Struct("<8sBiii")
_LZ4_RAW = 0x10
_LZ4_BLOCK = 1 << 25
"""Bytes of the largest block that lz4-java writes."""

DAMAGED = (ValueError, zlib.error, zstd.ZstdError, lz4.block.LZ4BlockError)


class Codec(NamedTuple):
    """A compressed file is a sequence of frames that begin with the same bytes."""

    magic: bytes
    frame: Callable[[BinaryIO], Iterator[bytes]]
    """Reads one frame from where the file is to its end. Raises one of DAMAGED."""


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Inflate:
    """zlib's decoder, which gives back what it did not consume, in the form of the others."""

    def __init__(self) -> None:
        self._of = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._of.eof

    @property
    def unused_data(self) -> bytes:
        return self._of.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        found = self._of.decompress(self._of.unconsumed_tail + data, max_length)
        self.needs_input = len(found) < max_length
        return found


def _pieces(file: BinaryIO, decoder: _Decoder) -> Iterator[bytes]:
    while not decoder.eof:
        data = file.read(_READ) if decoder.needs_input else b""
        if decoder.needs_input and not data:
            raise ValueError("it is cut off")
        yield decoder.decompress(data, _PIECE)
    file.seek(-len(decoder.unused_data), 1)


def _gzip(file: BinaryIO) -> Iterator[bytes]:
    return _pieces(file, _Inflate())


def _zstd(file: BinaryIO) -> Iterator[bytes]:
    return _pieces(file, zstd.ZstdDecompressor(options=_WINDOW))


def _lz4(file: BinaryIO) -> Iterator[bytes]:
    """A block of lz4-java's LZ4BlockOutputStream, which is Spark's codec `lz4`: not the frame format of the program.

    Its header: `LZ4Block`, a byte with the method, then compressed size, size and checksum, which is not compared.
    """
    header = file.read(_LZ4_HEADER.size)
    if len(header) < _LZ4_HEADER.size:
        raise ValueError("it is cut off")
    _, method, packed, size, _ = _LZ4_HEADER.unpack(header)
    if not (0 <= packed <= 2 * _LZ4_BLOCK and 0 <= size <= _LZ4_BLOCK):
        raise ValueError("a block is larger than any")
    body = file.read(packed)
    if size and method & 0xF0 != _LZ4_RAW:
        body = lz4.block.decompress(body, uncompressed_size=size)
    if len(body) != size:
        raise ValueError("a block has another size than its header says")
    yield body


CODECS = (Codec(b"\x1f\x8b", _gzip), Codec(b"\x28\xb5\x2f\xfd", _zstd), Codec(b"LZ4Block", _lz4))


def codec_of(data: bytes) -> Codec | None:
    """What a file that begins so is compressed with."""
    return next((codec for codec in CODECS if data.startswith(codec.magic)), None)
