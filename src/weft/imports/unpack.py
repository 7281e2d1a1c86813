"""Copies a log and decompresses it, by what it begins with: what can be read of a damaged one is used."""

import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import polars

from weft.errors import UsageError
from weft.imports import lz4

_ZSTD = b"\x28\xb5\x2f\xfd"
_UNREADABLE = {
    b"\x82SNAPPY\x00": "snappy",
    b"ZV": "lzf",
    b"\x04\x22\x4d\x18": "the frame format of the program lz4",
}
_HEAD = 1 << 16
_ENDINGS = (".gz", ".zstd", ".zst", ".lz4", ".inprogress")


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
    if kind := _kind(data):
        # a frame may be longer than the first bytes
        return next(kind(data if kind is not _zstd else path.read_bytes(), []), b"")[:_HEAD]
    return data


def unpack(path: Path, target: Path) -> list[str]:
    """Write a log's content as plain text. Returns what of it could not be read."""
    with path.open("rb") as file:
        kind = _kind(file.read(16))
    if kind is None:
        shutil.copyfile(path, target)
        return []
    gaps: list[str] = []
    with target.open("wb") as out:
        for piece in kind(path.read_bytes(), gaps):
            out.write(piece)
    return [f"{path.name}: {gap}" for gap in gaps]


Decoder = Callable[[bytes, list[str]], Iterator[bytes]]


def _kind(data: bytes) -> Decoder | None:
    if data.startswith(b"\x1f\x8b"):
        return _gzip
    if data.startswith(_ZSTD):
        return _zstd
    return _lz4 if data.startswith(lz4.MAGIC) else None


def _gzip(data: bytes, gaps: list[str]) -> Iterator[bytes]:
    while data:
        inflate = zlib.decompressobj(wbits=31)
        try:
            yield inflate.decompress(data)
        except zlib.error:
            gaps.append("it is damaged, and what follows the damage was not read")
            yield from _until_the_damage(data)
            return
        if not inflate.eof:
            gaps.append("it is cut off, and was read up to there")
        data = inflate.unused_data


def _until_the_damage(data: bytes) -> Iterator[bytes]:
    inflate = zlib.decompressobj(wbits=31)
    for at in range(0, len(data), 1024):
        try:
            yield inflate.decompress(data[at : at + 1024])
        except zlib.error:
            return


def _lz4(data: bytes, gaps: list[str]) -> Iterator[bytes]:
    try:
        yield from lz4.blocks(data)
    except ValueError as error:
        gaps.append(f"{error}; it was read up to there")


def _zstd(data: bytes, gaps: list[str]) -> Iterator[bytes]:
    """Spark closes a frame at each flush, which is after a line: a damaged frame costs the lines in it alone."""
    if (whole := _lines(data)) is not None:
        yield whole
        return
    yield from _frames(data, _starts(data), gaps)


def _starts(data: bytes) -> list[int]:
    found, at = [], data.find(_ZSTD)
    while at >= 0:
        found.append(at)
        at = data.find(_ZSTD, at + 1)
    return found


def _frames(data: bytes, starts: list[int], gaps: list[str]) -> Iterator[bytes]:
    lost, index, ends = 0, 0, [*starts[1:], len(data)]
    while index < len(starts):
        # four bytes like a frame's first ones may be inside of one
        for last in range(index, min(index + 3, len(ends))):
            if (lines := _lines(data[starts[index] : ends[last]])) is not None:
                yield lines
                index = last
                break
        else:
            lost += 1
        index += 1
    if lost:
        gaps.append(
            f"{lost} of its {len(starts)} compressed frames are damaged or cut off, and their lines are missing"
        )


def _lines(data: bytes) -> bytes | None:
    """Decompressed by polars, which reads it as a table with one column; None if a frame is damaged."""
    try:
        frame = polars.read_csv(
            data, has_header=False, separator="\x01", quote_char=None, infer_schema=False, encoding="utf8-lossy",
            truncate_ragged_lines=True,
        )  # fmt: skip
    except polars.exceptions.NoDataError:
        return b""
    except (OSError, polars.exceptions.PolarsError):
        return None
    return ("\n".join(frame.to_series().fill_null("").to_list()) + "\n").encode()
