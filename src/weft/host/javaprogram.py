"""What `java` is started with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

IN_PLACE = ("-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0")
"""Maps an archive at the addresses that it was made for; otherwise Java moves it at every start, and rewrites all addresses in it."""


@dataclass(frozen=True)
class JavaProgram:
    """A short one that loads what an engine's processes load."""

    arguments: Sequence[str] = ()
    """Of `java`."""
    environment: Mapping[str, str] = field(default_factory=dict)
