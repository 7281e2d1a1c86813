"""Secrets of the user that programs of a run printed are replaced in its record, when the run has ended."""

import mmap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from weft.text import redaction
from weft.text.entry import Entry


@contextmanager
def covered(directory: Path, secrets: Mapping[str, str]) -> Iterator[None]:
    """Replace them in each file of the record at the end of a `with` block."""
    try:
        yield
    finally:
        cover(directory, secrets)


def cover(directory: Path, secrets: Mapping[str, str]) -> None:
    """Replace them in each file of a directory."""
    looked_for = redaction.notations(secrets)
    for path in Entry(directory).files() if looked_for else ():
        _cover(path, looked_for)


def _cover(path: Entry, looked_for: Mapping[bytes, bytes]) -> None:
    if not path.about().st_size or path.suffix == ".parquet":
        return
    with path.stream() as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        if all(text.find(written) < 0 for written in looked_for):
            return
    with path.stream() as file, path.replacement() as out:
        for line in file:
            for written, mark in looked_for.items():
                line = line.replace(written, mark)  # noqa: PLW2901 - the same line
            out.write(line)
