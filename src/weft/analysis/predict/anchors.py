"""What the measurement itself says of queues: how much of the measured time a machine's figures explain already."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.analysis.predict.stations import Load, Station

ROUNDS = 6
"""Corrections until queues and measurement agree: more change the result by less than a thousandth."""


@dataclass(frozen=True)
class Anchors:
    """Factors by which a stage's own seconds are multiplied where queues are counted separately."""

    cpu: float = 1.0
    waiting: float = 1.0
    """0 where nodes shared their host's processors, so that waiting for one does not come along to other machines."""
    scheduling: float = 1.0
    files: Mapping[str, float] = field(default_factory=dict)
    """By role, where the storage is the measured one."""


def stay(load: Load, stations: tuple[Station, ...], beginning: str, ending: str = "") -> float:
    """Seconds of a task at the stations with such names, with its waits."""
    return sum(
        station.demand + load.waits.get(station.name, 0.0)
        for station in stations
        if station.name.startswith(beginning) and station.name.endswith(ending) and not station.hidden
    )


def left(measured: float, queued: float) -> float:
    """The share of a measured time that queues do not explain."""
    return max(0.0, measured - queued) / measured if measured > 0 else 1.0
