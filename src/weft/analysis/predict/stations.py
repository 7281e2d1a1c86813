"""A closed queueing network: slots that circulate between work of their own and services that they share.

Exact mean value analysis (Reiser and Lavenberg, 1980) for exponential service; the knee, where the asymptotes of
throughput meet, does not depend on the distribution.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Station:
    """A service that tasks queue for."""

    name: str
    demand: float
    """Seconds of one server that a task needs."""
    servers: int = 1
    """Servers of each copy, behind one queue."""
    copies: int = 1
    """Equal services, each with its own queue, over which tasks are spread: one a node."""
    hidden: bool = False
    """Whether tasks work on meanwhile, so that it limits throughput and delays nobody below that."""

    role: str = ""
    """Of the files that it serves."""

    @property
    def limit(self) -> float:
        """Tasks per second at most."""
        return self.servers * self.copies / self.demand if self.demand > 0 else float("inf")


@dataclass(frozen=True)
class Load:
    """What a number of circulating tasks gets."""

    throughput: float
    """Tasks per second."""
    response: float
    """Seconds of one task, with its waits."""
    waits: Mapping[str, float]
    """By station: seconds that a task waits in its queue."""


def solve(think: float, stations: Sequence[Station], population: int) -> Load:
    """The load with `population` tasks at once, each of which also takes `think` seconds without a queue."""
    open_, hidden = [s for s in stations if not s.hidden and s.demand > 0], [s for s in stations if s.hidden]
    # Seidmann's approximation: c servers are one that is c times as fast, and a delay
    queued = [s.demand / s.servers for s in open_]
    delay = think + sum(s.demand * (s.servers - 1) / s.servers for s in open_)
    copies = [s.copies for s in open_]
    lengths = [0.0] * len(open_)
    throughput, stays = 0.0, queued
    for count in range(1, max(1, population) + 1):
        stays = [d * (1 + q / m) for d, q, m in zip(queued, lengths, copies, strict=True)]
        throughput = count / max(delay + sum(stays), 1e-12)
        lengths = [throughput * stay for stay in stays]
    waits = {s.name: stay - d for s, stay, d in zip(open_, stays, queued, strict=True)}
    response = delay + sum(stays)
    for station in hidden:
        if station.limit < throughput:
            slower = population / station.limit
            waits[station.name] = slower - response
            throughput, response = station.limit, slower
    return Load(throughput, response, waits)
