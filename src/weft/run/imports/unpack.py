"""Copies a log and decompresses it, by what it begins with, up to a limit: what can be read of a damaged one is used."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from weft.errors import UsageError
from weft.run.imports.codecs import DAMAGED, Codec, codec_of
from weft.text.units import show_size

_UNREADABLE = {
    b"\x82SNAPPY\x00": "snappy",
    b"ZV": "lzf",
    b"\x04\x22\x4d\x18": "the frame format of the program lz4",
}
_HEAD = 1 << 16
_ENDINGS = (".gz", ".zstd", ".zst", ".lz4", ".inprogress")
_CHUNK = 1 << 20
_SEARCHED = 1 << 16
LIMIT = 64 << 30
"""Bytes of the largest log, decompressed, unless the user allows more."""
_RATIO, _SMALL = 1000, 1 << 24
"""No log is compressed to less than a thousandth of its size, unless it is small."""
_PASSES = 4
"""How often as many bytes as a file has may be read again in search of frames that are whole."""


def plain_name(name: str) -> str:
    """A log's name without the endings of compression and of a log in progress."""
    while name.endswith(_ENDINGS):
        name = name.rpartition(".")[0]
    return name


def head(path: Path) -> bytes:
    """The first bytes of a file, decompressed. Raises UsageError for a compression that weft cannot read."""
    with path.open("rb") as file:
        data = file.read(_HEAD)
        for magic, name in _UNREADABLE.items():
            if data.startswith(magic):
                raise UsageError(
                    f"{path} is compressed with {name}, which weft cannot read",
                    hint="decompress it first; Spark writes zstd with spark.eventLog.compression.codec=zstd",
                )
        if (codec := codec_of(data)) is None:
            return data
        found = b""
        for piece in _frames(file, codec, []):
            found += piece
            if len(found) >= _HEAD:
                break
        return found[:_HEAD].lstrip(b"\n")


def unpack(path: Path, target: Path, limit: int = LIMIT) -> list[str]:
    """Write a log's content as plain text. Returns what of it could not be read. Raises UsageError above the limit."""
    gaps: list[str] = []
    with path.open("rb") as file, target.open("wb") as out:
        codec = codec_of(file.read(16))
        file.seek(0)
        pieces = _frames(file, codec, gaps) if codec else iter(lambda: file.read(_CHUNK), b"")
        for piece in pieces:
            require_less(path, out.tell() + len(piece), limit)
            out.write(piece)
    return [f"{path.name}: {gap}" for gap in gaps]


def require_less(path: Path, size: int, limit: int) -> None:
    """Raises UsageError where a compressed file has more bytes than the limit, or than an honest one of its size."""
    if size > _RATIO * path.stat().st_size + _SMALL:
        raise UsageError(
            f"{path} is no log: decompressed, it has more than {_RATIO:,} times its size",
            hint="if you trust who wrote it, decompress it yourself and import the result",
        )
    if size > limit:
        raise UsageError(
            f"{path} has more than {show_size(limit)}, decompressed",
            hint="`weft import --limit SIZE` reads a larger log",
        )


def _frames(file: BinaryIO, codec: Codec, gaps: list[str]) -> Iterator[bytes]:
    """The content of all frames. Spark closes one at each flush, which is after a line: a damaged one costs the lines in it alone."""
    size, at, again, number, lost = os.fstat(file.fileno()).st_size, 0, 0, 0, 0
    while (begin := _next(file, codec.magic, at)) is not None:
        number += 1
        file.seek(begin)
        try:
            yield from codec.frame(file)
            at = file.tell()
        except DAMAGED:
            lost += 1
            again += file.tell() - begin
            at = begin + len(codec.magic)
            yield b"\n"
        if again > _PASSES * size + _CHUNK:
            gaps.append("it is so damaged that only its beginning was read")
            return
    if lost:
        gaps.append(
            f"{lost} of its {number} compressed frames are damaged or cut off, and lines of them are missing"
        )


def _next(file: BinaryIO, magic: bytes, at: int) -> int | None:
    """Where the next frame begins: at once, unless one before it is damaged."""
    file.seek(at)
    data = file.read(len(magic))
    while data != magic[: len(data)] or len(data) < len(magic):
        more = file.read(_SEARCHED)
        if not more:
            return None
        data += more
        if (found := data.find(magic)) >= 0:
            return at + found
        at += len(data) - len(magic) + 1
        data = data[len(data) - len(magic) + 1 :]
    return at
