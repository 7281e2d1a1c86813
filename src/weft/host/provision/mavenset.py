"""A distribution assembled from Maven Central: NAME.pom.xml lists the artifacts, NAME.lock their checksums."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import shell

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class MavenSet:
    """The jars of an engine, in lib/ of its home."""

    name: str
    version: str
    unpacked: int
    """Bytes on disk."""

    @cached_property
    def locked(self) -> dict[str, str]:
        """SHA-256 by file name, in the format of sha256sum."""
        lines = (_HERE / f"{self.name}.lock").read_text().splitlines()
        return {name: checksum for checksum, name in (line.split() for line in lines)}

    @property
    def key(self) -> str:
        lock = (_HERE / f"{self.name}.lock").read_bytes()
        return f"{self.name}-{self.version}-{hashlib.sha256(lock).hexdigest()[:8]}"

    def fetch(self, target: Path) -> None:
        """Resolve into an empty directory and verify every jar. Raises MissingError."""
        argv = ["mvn", "--batch-mode", "-Dstyle.color=never", "--quiet"]
        pom = _HERE / f"{self.name}.pom.xml"
        try:
            shell.run(
                [
                    *argv,
                    "--file",
                    str(pom),
                    "dependency:copy-dependencies",
                    f"-DoutputDirectory={target}/lib",
                ],
                timeout=1800,
            )
        except WeftError as error:
            raise MissingError(
                f"{self.name} {self.version} could not be downloaded from Maven Central",
                tail=error.tail,
                hint=f"check the network and Maven's settings, or set a site's own installation with {self.name.upper()}_HOME",
            ) from error
        self.verify(target / "lib")

    def verify(self, lib: Path) -> None:
        """Raises MissingError, which names the first jar that differs from its locked checksum."""
        found = {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in lib.iterdir()}
        wrong = sorted(
            name for name in found.keys() | self.locked if found.get(name) != self.locked.get(name)
        )
        if wrong:
            raise MissingError(
                f"{self.name} {self.version}: {wrong[0]} does not match its locked checksum ({len(wrong)} differ)",
                hint="remove it from ~/.m2/repository and try again; a proxy may have changed it",
            )
