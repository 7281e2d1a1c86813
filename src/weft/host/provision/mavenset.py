"""A distribution that is put together from Maven Central: NAME.pom.xml says of what, NAME.lock holds the checksums."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import shell

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class MavenSet:
    """Jars that make an engine; they stand in lib/ of its home."""

    name: str
    version: str
    unpacked: int
    """Bytes on disk."""

    @cached_property
    def locked(self) -> dict[str, str]:
        """SHA-256 by file name, as sha256sum writes them."""
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
                f"{self.name} {self.version} could not be fetched from Maven Central",
                tail=error.tail,
                hint=f"check the network and Maven's settings, or name a site's own installation with {self.name.upper()}_HOME",
            ) from error
        self.verify(target / "lib")

    def verify(self, lib: Path) -> None:
        """Raises MissingError naming the first jar that is not what was locked."""
        found = {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in lib.iterdir()}
        wrong = sorted(
            name for name in found.keys() | self.locked if found.get(name) != self.locked.get(name)
        )
        if wrong:
            raise MissingError(
                f"{self.name} {self.version}: {wrong[0]} is not the jar that was locked ({len(wrong)} differ)",
                hint="remove it from ~/.m2/repository and try again; a proxy may have changed it",
            )
