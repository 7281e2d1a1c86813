"""Locked files of a Maven repository: the jars of an engine, or of what weft's own jars are compiled with."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar

from weft.host.provision.download import repository
from weft.host.provision.download.session import Wanted

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Artifact:
    """A line of a lock."""

    sha256: str
    size: int
    """Bytes."""
    path: str
    """In the layout of Maven repositories."""

    @property
    def file(self) -> str:
        return self.path.rpartition("/")[2]


def locked(lock: Path) -> list[Artifact]:
    """What a lock lists."""
    rows = [line.split() for line in lock.read_text(encoding="utf-8").splitlines()]
    return [Artifact(sha256, int(size), path) for sha256, size, path in rows]


@dataclass(frozen=True)
class MavenSet:
    """The jars of an engine, in lib/ of its home: NAME.pom.xml lists the artifacts, NAME.lock all their files."""

    folder: ClassVar[str] = "lib"

    name: str
    version: str
    unpacked: int
    """Bytes on disk."""

    @cached_property
    def artifacts(self) -> list[Artifact]:
        """Checksum, size and path of each file; tools/lock writes them."""
        return locked(self.lock)

    @property
    def lock(self) -> Path:
        return _HERE / f"{self.name}.lock"

    @property
    def key(self) -> str:
        content = "".join(f"{each.sha256}  {self.within(each)}\n" for each in self.artifacts)
        return f"{self.name}-{self.version}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"

    @property
    def _hint(self) -> str:
        return f"check the network and Maven's settings, or set a site's own installation with {self.name.upper()}_HOME"

    def within(self, artifact: Artifact) -> str:
        """The path of a file in `folder`."""
        return artifact.file

    def files(self, folder: Path) -> Sequence[Wanted]:
        """What weft's own downloader has to put into a folder."""
        return [
            Wanted(
                each.file, each.size, each.sha256, folder, partial(repository.sources, each.path), self._hint
            )
            for each in self.artifacts
        ]

    def unpack(self, folder: Path, target: Path) -> None:
        """Move verified files from there into an empty directory."""
        for each in self.artifacts:
            path = target / self.folder / self.within(each)
            path.parent.mkdir(parents=True, exist_ok=True)
            (folder / each.sha256).rename(path)
