"""A host's answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class HostAnswers:
    """A node, its host's answers (`host/programs/examine.py`), and whose marks it sees in each directory."""

    name: str
    address: str
    interfaces: Mapping[str, str]
    memory: int
    facts: Mapping[str, Any]
    ahead: float
    """Seconds by which its clock is certainly ahead of (or, negative, behind) that of weft's machine."""
    sees: Mapping[str, Sequence[str]]
    occupied: Sequence[str] = ()
    """Ports of engines that are in use there, as text."""


def each(hosts: Iterable[HostAnswers], wrong: Callable[[HostAnswers], str]) -> str:
    """What is wrong, host by host; empty if nothing is."""
    return "; ".join(f"{host.name}: {why}" for host in hosts if (why := wrong(host)))
