"""A host's answers, and a check of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.doctor.finding import Finding, limits, ok


@dataclass(frozen=True)
class HostAnswers:
    """A host, its answers (`host/programs/examine.py`), and whose marks it sees in each directory."""

    name: str
    """Of the node on it; empty for this machine."""
    address: str
    facts: Mapping[str, Any]
    interfaces: Mapping[str, str] = field(default_factory=dict)
    memory: int = 0
    ahead: float = 0.0
    """Seconds by which its clock is certainly ahead of (or, negative, behind) that of weft's machine."""
    sees: Mapping[str, Sequence[str]] = field(default_factory=dict)
    occupied: Sequence[str] = ()
    """Ports of engines that are in use there, as text."""


@dataclass(frozen=True)
class Check:
    """What is asked of each host by itself."""

    name: str
    wrong: Callable[[HostAnswers], str]
    """What is wrong with a host; empty if nothing is."""
    well: str
    """The finding if nothing is wrong with any."""
    costs: str
    fix: str
    bad: Callable[..., Finding] = limits

    def judge(self, hosts: Sequence[HostAnswers]) -> Finding:
        """One finding, which names the hosts with what is wrong."""
        found = each(hosts, self.wrong)
        return (
            self.bad(self.name, found, costs=self.costs, fix=self.fix) if found else ok(self.name, self.well)
        )


def each(hosts: Iterable[HostAnswers], wrong: Callable[[HostAnswers], str]) -> str:
    """What is wrong, host by host; empty if nothing is."""
    return "; ".join(f"{host.name}: {why}" if host.name else why for host in hosts if (why := wrong(host)))
