"""The only way to the files of a record, which somebody else may have made: regular files inside of it, of a limited size."""

import errno
import json
import math
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

MOST = 1 << 28
"""Bytes of a file that is read whole."""
_FILES, _DEPTH = 200_000, 32
"""Entries below a folder, and how deep folders may lie."""
_HALF = re.compile(r"[\ud800-\udfff]")
"""A surrogate: half of a character in UTF-16."""
_ESCAPED, _ESCAPED_BYTES = re.compile(r"\\u[dD]"), re.compile(rb"\\u[dD]")
_LONGEST = 19
"""Digits of an integer that fits into 64 bits."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# without O_NONBLOCK, opening a pipe waits for its writer
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class RefusedError(OSError):
    """A file that is not opened: a link, a pipe, a device, or too large."""


@dataclass(frozen=True)
class Entry:
    """A file or folder below a folder that the user named. No part of the path below that may be a link."""

    root: Path
    parts: tuple[str, ...] = ()

    def __truediv__(self, path: str) -> "Entry":
        parts = PurePosixPath(path).parts
        if ".." in parts or path.startswith("/"):
            raise RefusedError(f"{path} is not inside of {self}")
        return Entry(self.root, (*self.parts, *parts))

    def __str__(self) -> str:
        return "/".join(self.parts) or str(self.root)

    @property
    def name(self) -> str:
        return self.parts[-1] if self.parts else self.root.name

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    def sibling(self, name: str) -> "Entry":
        """Another one in the same folder."""
        return Entry(self.root, self.parts[:-1]) / name

    def exists(self) -> bool:
        """Whether it is a regular file."""
        with suppress(OSError):
            return stat.S_ISREG(self.about().st_mode)
        return False

    @contextmanager
    def stream(self) -> Iterator[BinaryIO]:
        """The open file. Raises FileNotFoundError, or RefusedError if it is not a regular file."""
        with self._folder() as folder:
            descriptor = self._open(self.name, _FILE, folder)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise RefusedError(f"{self} is a link, or neither a regular file nor a folder")
            yield file

    def data(self, most: int = MOST) -> bytes:
        """All of it. Raises RefusedError beyond `most` bytes."""
        with self.stream() as file:
            found = file.read(most + 1)
        if len(found) > most:
            raise RefusedError(f"{self} has more than {most} bytes")
        return found

    def text(self) -> str:
        """All of it as text; bytes that are no UTF-8 are replaced."""
        return self.data().decode(errors="replace")

    def json(self) -> Any:
        """Its data. Raises ValueError if it is no JSON."""
        return decode(self.text())

    def part(self, size: int, *, end: bool = False) -> bytes:
        """Its first bytes, or its last."""
        with self.stream() as file:
            if end:
                file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read(size)

    def files(self, pattern: str = "*") -> list["Entry"]:
        """Regular files below it whose path from here matches, in order; `*` matches folders too."""
        start = len(self.parts)
        found = [entry for entry, about in self.below() if stat.S_ISREG(about.st_mode)]
        return sorted(
            (each for each in found if fnmatchcase("/".join(each.parts[start:]), pattern)),
            key=lambda each: each.parts,
        )

    def irregular(self) -> list["Entry"]:
        """Links, pipes and devices below it, which are never opened."""
        kinds = (stat.S_ISREG, stat.S_ISDIR)
        return sorted(
            (entry for entry, about in self.below() if not any(kind(about.st_mode) for kind in kinds)),
            key=lambda each: each.parts,
        )

    def below(self) -> Iterator[tuple["Entry", os.stat_result]]:
        """Everything below it, without following links; nothing if it is not a folder."""
        folders, count = [self], 0
        while folders:
            here = folders.pop()
            with suppress(OSError), (here / "*")._folder() as folder:  # noqa: SLF001 - of the same class
                for name in os.listdir(folder):  # noqa: PTH208 - of a descriptor
                    count += 1
                    if count > _FILES or len(here.parts) > _DEPTH:
                        return
                    about = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    entry = Entry(self.root, (*here.parts, name))
                    if stat.S_ISDIR(about.st_mode):
                        folders.append(entry)
                    yield entry, about

    def about(self) -> os.stat_result:
        """Its size and times."""
        with self._folder() as folder:
            return os.stat(self.name, dir_fd=folder, follow_symlinks=False)

    def append(self, data: bytes) -> None:
        """Add to its end, in one write, so that lines of two writers never mix."""
        with self._folder() as folder:
            descriptor = self._open(self.name, _NEW | os.O_APPEND | os.O_NONBLOCK, folder)
        with os.fdopen(descriptor, "ab", buffering=0) as file:
            file.write(data)

    @contextmanager
    def replacement(self) -> Iterator[BinaryIO]:
        """A new file of a random name beside it, which replaces it when it is complete, and is removed if it fails."""
        partial = f".{self.name}.{secrets.token_hex(8)}"
        with self._folder() as folder:
            descriptor = self._open(partial, _NEW | os.O_EXCL, folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    yield file
                os.rename(partial, self.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(partial, dir_fd=folder)
                raise

    @contextmanager
    def _folder(self) -> Iterator[int]:
        """A descriptor of the folder that holds it."""
        descriptor = os.open(self.root, _FOLDER)
        try:
            for part in self.parts[:-1]:
                inner = self._open(part, _FOLDER | os.O_NOFOLLOW, descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    def _open(self, name: str, flags: int, folder: int) -> int:
        try:
            return os.open(name, flags, 0o666, dir_fd=folder)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENXIO, errno.ENOTDIR}:
                raise RefusedError(f"{self} is a link, or neither a regular file nor a folder") from error
            error.filename = str(self.root.joinpath(*self.parts))
            raise


def of(path: Path) -> Entry:
    """A file that the user named, links in its path included, but not itself one."""
    return Entry(path.parent, (path.name,))


def write(path: Path, text: str) -> None:
    """Write a file at once: a reader finds the old one or the new one."""
    with of(path).replacement() as file:
        file.write(text.encode())


def decode(text: str | bytes) -> Any:
    """JSON as data, numbers beyond the range of machines as NaN. Raises ValueError, also if it is nested too deeply."""
    try:
        return paired(json.loads(text, parse_float=_finite, parse_int=_whole, parse_constant=_finite), text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def paired(value: Any, text: str | bytes) -> Any:
    """The data of a JSON text, without halves of characters: JSON can escape one alone, and no encoding has it."""
    found = _ESCAPED_BYTES.search(text) if isinstance(text, bytes) else _ESCAPED.search(text)
    return _paired(value) if found else value


def _paired(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_paired(one) for one in value]
    if isinstance(value, dict):
        return {_paired(key): _paired(one) for key, one in value.items()}
    return value


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else math.nan


def _whole(text: str) -> float:
    return int(text) if len(text) <= _LONGEST else _finite(text)
