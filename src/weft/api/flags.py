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
    trust: bool = False
    """Whether a file of somebody else may run what it names."""

    def overrides(self) -> dict[str, Any]:
        """Dotted keys and values. Raises UsageError for a --set without a value."""
        named = ("engine", "nodes", "scratch", "input", "output")
        found: dict[str, Any] = {key: getattr(self, key) for key in named if getattr(self, key) is not None}
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
