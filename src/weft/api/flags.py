"""What is asked of a run on top of a workload or a file: the values of `weft run`'s flags. Importing it is fast."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from weft.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Flags:
    """The flags of `weft run` and `weft plan`; None if not given."""

    engine: str | None = None
    nodes: str | None = None
    size: str | None = None
    scratch: str | None = None
    input: str | None = None
    output: str | None = None
    set: tuple[str, ...] = ()
    repeat: str | None = None
    services: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    """Added to the default probes, or to those of a file."""
    slurm: int | None = None
    """Number of Slurm nodes, as sbatch's -N."""
    partition: str | None = None
    account: str | None = None
    time: str | None = None
    trust: bool = False
    """Whether a file of somebody else may run what it names."""

    def overrides(self) -> dict[str, Any]:
        """Dotted keys and values. Raises UsageError for a --set without a value, and for two kinds of nodes."""
        named = ("engine", "nodes", "scratch", "input", "output")
        found: dict[str, Any] = {key: getattr(self, key) for key in named if getattr(self, key) is not None}
        if self.slurm is not None:
            if self.nodes is not None:
                raise UsageError("--nodes and -N are two kinds of nodes", hint="omit one of them")
            found["nodes"] = f"slurm:{self.slurm}"
        directives = {"partition": self.partition, "account": self.account, "time": self.time}
        found |= {f"nodes.{key}": value for key, value in directives.items() if value is not None}
        if self.size is not None:
            found["size"] = self.size
        if self.services:
            found["services"] = list(self.services)
        return {**found, **pairs("--set", self.set)}


def pairs(flag: str, arguments: Iterable[str]) -> dict[str, str]:
    """Keys and values of `--flag key=value`, given any number of times. Raises UsageError for one without a value."""
    found = {}
    for word in arguments:
        key, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"{flag} {word}: value missing", hint=f"write {flag} key=value")
        found[key] = value
    return found
