"""Engine distributions, each whole from the registry that has it whole, locked by checksum."""

import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from weft import shell
from weft.errors import MissingError, WeftError
from weft.provision.tree import building, cached

Say = Callable[[str], None]
"""Tells the person at the terminal what is being done."""


@dataclass(frozen=True)
class Distribution:
    """A source archive on PyPI and the folder in it that is the engine's home."""

    name: str
    version: str
    package: str
    sha256: str
    folder: str
    unpacked: int
    """Bytes on disk while it is being unpacked."""

    @property
    def key(self) -> str:
        return f"{self.name}-{self.version}-{self.sha256[:8]}"


SPARK = Distribution(
    name="spark",
    version="4.3.0",
    package="pyspark",
    sha256="e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6",
    folder="deps",
    unpacked=1_100_000_000,
)

DISTRIBUTIONS = {distribution.name: distribution for distribution in (SPARK,)}


def home(name: str, say: Say) -> Path:
    """The engine's home in the cache, fetched on first use."""
    wanted = DISTRIBUTIONS[name]
    if found := cached(wanted.key):
        return found
    with building(wanted.key, wanted.unpacked) as target:
        if target is not None:
            say(f"fetching {wanted.name} {wanted.version} (once)")
            archive = _download(wanted, target)
            say(f"unpacking {wanted.name} {wanted.version} (once)")
            _unpack(archive, wanted, target)
    found = cached(wanted.key)
    assert found is not None
    return found


def _download(wanted: Distribution, target: Path) -> Path:
    lock = target / "lock.txt"
    lock.write_text(f"{wanted.package}=={wanted.version} --hash=sha256:{wanted.sha256}\n")
    argv = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--dest",
        str(target),
    ]
    try:
        shell.run([*argv, "--no-binary", ":all:", "--requirement", str(lock)], timeout=1800)
    except WeftError as error:
        raise MissingError(
            f"{wanted.name} {wanted.version} could not be fetched from the Python package index",
            tail=error.tail,
            hint="check the network and pip's index settings, or name a site's own installation with SPARK_HOME",
        ) from error
    return next(target.glob("*.tar.gz"))


def _unpack(archive: Path, wanted: Distribution, target: Path) -> None:
    root = f"{archive.name.removesuffix('.tar.gz')}/{wanted.folder}/"
    python = f"{archive.name.removesuffix('.tar.gz')}/lib/"
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.name.startswith(root):
                member.name = member.name.removeprefix(root)
                tar.extract(member, target, filter="data")
            elif member.name.startswith(python):  # the Python side of Spark, for PySpark jobs
                member.name = f"python/lib/{member.name.removeprefix(python)}"
                tar.extract(member, target, filter="data")
    archive.unlink()
