"""What a host said of itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Host:
    """A node, what its host said (`remote/sent/examine.py`), and whose marks it sees in each directory."""

    name: str
    address: str
    interfaces: Mapping[str, str]
    memory: int
    facts: Mapping[str, Any]
    ahead: float
    """Seconds that its clock is surely before (or, negative, behind) the one of weft's machine."""
    sees: Mapping[str, Sequence[str]]
    occupied: Sequence[str] = ()
    """Ports of engines that somebody has there, in words."""


def each(hosts: Iterable[Host], wrong: Callable[[Host], str]) -> str:
    """What is wrong, host by host; empty where nothing is."""
    return "; ".join(f"{host.name}: {why}" for host in hosts if (why := wrong(host)))
