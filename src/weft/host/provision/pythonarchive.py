"""A distribution that the Python package index has complete: a source archive or a wheel."""

import io
import os
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from weft.errors import StorageError
from weft.host.programs.removal import remove_tree
from weft.host.provision.arriving import Arriving
from weft.host.provision.download import index
from weft.host.provision.download.session import Wanted

_BUFFER = 1 << 18
"""Bytes that are unpacked at once."""


def _stays(member: tarfile.TarInfo, place: str) -> bool:
    """Whether what is unpacked of it is in the target for sure: an archive that is not the locked one could lead elsewhere."""
    path = PurePosixPath(place)
    return (member.isreg() or member.isdir()) and not path.is_absolute() and ".." not in path.parts


@dataclass(frozen=True)
class PythonArchive:
    """An archive on PyPI, and the target folders of its contents in the engine's home."""

    name: str
    version: str
    package: str
    file: str
    """Name of the archive."""
    size: int
    """Its bytes."""
    sha256: str
    folders: Mapping[str, str]
    """Folder in the engine's home by folder in the archive; both end with a slash, or the first is the home itself."""
    unpacked: int
    """Bytes on disk while unpacking."""

    @property
    def key(self) -> str:
        return f"{self.name}-{self.version}-{self.sha256[:8]}"

    @property
    def _hint(self) -> str:
        return (
            "check the network and pip's index settings, "
            f"or set a site's own installation with {self.name.upper()}_HOME"
        )

    def files(self, folder: Path) -> Sequence[Wanted]:
        """What weft's own downloader has to put into a folder."""
        where = partial(index.sources, self.package, self.file)
        return [Wanted(f"{self.name} {self.version}", self.size, self.sha256, folder, where, self._hint)]

    def unpack(self, folder: Path, target: Path) -> None:
        """Unpack the verified archive from there into an empty directory, and remove it."""
        archive = folder / self.sha256
        if self.file.endswith(".whl"):
            self._unzip(archive, target)
        else:
            self._untar(archive, target)
        archive.unlink()

    def unpack_arriving(
        self, folder: Path, target: Path, ended: threading.Event, unwanted: threading.Event
    ) -> bool:
        """The same while the archive is being downloaded, until one of both is set; False if that could not be, and the target is empty again.

        It is verified when it is whole. Nothing in the target is used before, and nothing is written elsewhere. Raises StorageError if the
        target cannot be emptied.
        """
        if self.file.endswith(".whl"):  # its directory is at its end
            return False
        (wanted,) = self.files(folder)
        with Arriving(wanted, ended, unwanted) as archive:
            try:
                with tarfile.open(
                    fileobj=io.BufferedReader(archive, _BUFFER), mode="r|gz", bufsize=_BUFFER
                ) as tar:
                    self._extract(tar, target, verified=False)
                    if archive.whole():
                        return True
            except (tarfile.TarError, OSError, EOFError, ValueError, zlib.error):
                ended.wait()
        for each in target.iterdir():
            remove_tree(str(each))
        if any(target.iterdir()):  # it would become a part of what is unpacked next
            raise StorageError(f"{target} cannot be emptied", hint="remove it")
        return False

    def _place(self, name: str) -> str | None:
        """The target path of a file of the archive, if it is needed."""
        for inside, outside in self.folders.items():
            if name.startswith(inside) and name != inside:
                return outside + name.removeprefix(inside)
        return None

    def _untar(self, archive: Path, target: Path) -> None:
        with tarfile.open(archive) as tar:
            self._extract(tar, target, verified=True)

    def _extract(self, tar: tarfile.TarFile, target: Path, *, verified: bool) -> None:
        # Debian 12's Python 3.11.2 has no filters, and refuses the argument
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        room = self.unpacked
        for member in tar:
            room -= member.size
            if room < 0 and not verified:
                raise tarfile.ExtractError(f"it has more than {self.unpacked} bytes")
            if place := self._place(member.name):
                if not (verified or _stays(member, place)):
                    raise tarfile.ExtractError(f"{member.name} is not unpacked before it is verified")
                member.name, member.uid, member.gid = place, os.geteuid(), os.getegid()
                # a directory that its owner may not read could not be emptied again
                member.mode = 0o755 if member.isdir() else member.mode & 0o755 | 0o600
                tar.extract(member, target)

    def _unzip(self, archive: Path, target: Path) -> None:
        with zipfile.ZipFile(archive) as wheel:
            for member in wheel.infolist():
                if place := self._place(member.filename):
                    member.filename = place
                    wheel.extract(member, target)
