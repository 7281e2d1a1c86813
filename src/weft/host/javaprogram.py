"""What `java` is to run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class JavaProgram:
    """A short one that loads what an engine's processes load."""

    arguments: Sequence[str] = ()
    """Of `java`."""
    environment: Mapping[str, str] = field(default_factory=dict)
