"""Wheels of a lock: a Python library with all that it imports, apart from weft's own packages."""

import compileall
import hashlib
import io
import platform
import re
import shutil
import stat
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from py_compile import PycInvalidationMode
from typing import IO

from weft.errors import MissingError
from weft.host.provision.download import index
from weft.host.provision.download.session import Wanted

_HERE = Path(__file__).parent
_ABI3 = re.compile(r"cp3(\d+)")
_SOURCE = ".tar.gz"


@dataclass(frozen=True)
class Wheel:
    """A line of a lock: a wheel, or the source archive of a package without compiled parts that has no wheel."""

    sha256: str
    size: int
    """Bytes."""
    file: str

    @property
    def package(self) -> str:
        """Its name in an index."""
        return self.file.partition("-")[0].lower().replace("_", "-")

    @property
    def version(self) -> str:
        return self.file.removesuffix(_SOURCE).split("-")[1]

    @property
    def source(self) -> bool:
        """Whether it is a source archive."""
        return self.file.endswith(_SOURCE)

    def fits(self, minor: int, machine: str) -> bool:
        """Whether CPython 3.MINOR imports it on Linux with glibc."""
        if self.source:
            return True
        tag, abi, where = self.file.removesuffix(".whl").split("-")[-3:]
        oldest = _ABI3.fullmatch(tag)
        if oldest is not None:
            code = int(oldest[1]) <= minor if abi == "abi3" else (tag, abi) == (f"cp3{minor}",) * 2
        else:
            code = "py3" in tag.split(".")
        return code and (where == "any" or ("manylinux" in where and where.endswith(machine)))


@dataclass(frozen=True)
class WheelSet:
    """A library and its dependencies, unpacked into lib/ of its home, a directory for PYTHONPATH; NAME.lock lists all wheels."""

    name: str
    version: str
    unpacked: int
    """Bytes on disk while unpacking."""

    @cached_property
    def locked(self) -> list[Wheel]:
        """Those of every Python and machine; tools/lock writes them."""
        rows = [
            line.split() for line in (_HERE / f"{self.name}.lock").read_text(encoding="utf-8").splitlines()
        ]
        return [Wheel(sha256, int(size), file) for sha256, size, file in rows]

    @cached_property
    def wheels(self) -> list[Wheel]:
        """One of each package, for this Python on this machine. Raises MissingError where the lock has none."""
        minor, machine = sys.version_info[1], platform.machine()
        found = {each.package: each for each in self.locked if each.fits(minor, machine)}
        if lacking := sorted({each.package for each in self.locked} - set(found)):
            raise MissingError(
                f"{self.name} {self.version} has no wheel of {lacking[0]} for Python 3.{minor} on {machine}",
                hint="start weft with another Python: PYTHON=python3.11, or one up to 3.14, on x86_64 or aarch64",
            )
        return list(found.values())

    @property
    def key(self) -> str:
        content = "".join(f"{each.sha256}\n" for each in self.wheels)
        return f"{self.name}-{self.version}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"

    def files(self, folder: Path) -> Sequence[Wanted]:
        """What weft's own downloader has to put into a folder."""
        hint = "check the network and pip's index settings"
        return [
            Wanted(
                each.file,
                each.size,
                each.sha256,
                folder,
                partial(index.sources, each.package, each.file),
                hint,
            )
            for each in self.wheels
        ]

    def unpack(self, folder: Path, target: Path) -> None:
        """Unpack the verified wheels from there into an empty directory, and remove them; no code of theirs runs."""
        for each in self.wheels:
            archive = folder / each.sha256
            (_unpack_source if each.source else _unpack_wheel)(archive, target / "lib")
            archive.unlink()
        # a shared installation is read-only: Python could not keep what it compiles
        compileall.compile_dir(
            target / "lib", quiet=2, workers=0, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH
        )


def _unpack_wheel(archive: Path, into: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        for member, place in _placed(wheel.infolist()):
            with wheel.open(member) as content:
                _write(content, into / place)
            if member.external_attr >> 16 & stat.S_IXUSR:
                (into / place).chmod(0o755)  # Ray's own servers are programs


def _unpack_source(archive: Path, into: Path) -> None:
    """The packages that a source archive says it has, and what it states of itself."""
    with tarfile.open(archive) as tar:
        files = {PurePosixPath(*PurePosixPath(each.name).parts[1:]): each for each in tar if each.isreg()}
        stated = next(path for path in files if path.name == "top_level.txt" and len(path.parts) > 1)
        wanted = {stated.parts[0], *_read(tar, files[stated]).decode().split()}
        for path, member in files.items():
            if path.parts and path.parts[0] in wanted and ".." not in path.parts:
                _write(io.BytesIO(_read(tar, member)), into / path)


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    content = tar.extractfile(member)
    return content.read() if content else b""


def _write(content: IO[bytes], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(content, file, 1 << 20)


def _placed(members: Iterable[zipfile.ZipInfo]) -> Iterator[tuple[zipfile.ZipInfo, str]]:
    """The files of a wheel that Python imports, and where they are below lib/: scripts and headers are left out."""
    for member in members:
        parts = Path(member.filename).parts
        if member.is_dir() or ".." in parts or member.filename.startswith("/"):
            continue
        if parts[0].endswith(".data"):
            if parts[1] in {"purelib", "platlib"}:
                yield member, "/".join(parts[2:])
        else:
            yield member, member.filename
