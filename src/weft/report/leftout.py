"""Other runs of the same work as a test: predicted from one run, and what they took."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from weft.errors import UsageError
from weft.model.prediction.forecast import Model
from weft.model.prediction.machine import Machine
from weft.model.prediction.storages import service
from weft.model.prediction.target import Target
from weft.report.projection import Recorded

MOST = 12
"""Runs that are looked at, newest first: each is read whole."""
_MAY_DIFFER = ("size", "partitions", "mappers")
"""Keys of a workload that a prediction can change."""


@dataclass(frozen=True)
class LeftOut:
    """A run that was predicted. Times are seconds of the result."""

    run: str
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """Of the logarithm: 0.1 is about 10 % either way."""
        return abs(math.log(self.predicted / self.measured))


def comparable(one: Recorded, other: Recorded) -> bool:
    """Whether they differ at most in what a prediction can change."""
    if one.name == other.name or one.kind != other.kind or one.work.engine != other.work.engine:
        return False
    return _fixed(one.spec) == _fixed(other.spec)


def _fixed(spec: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    workload = spec.get("workload", {})
    return {key: value for key, value in workload.items() if key not in _MAY_DIFFER}, spec.get("engine")


def left_out(recorded: Recorded, model: Model, machine: Machine, others: Sequence[Recorded]) -> list[LeftOut]:
    """Every comparable run on storages that the machine knows, as predicted from this one."""
    found = []
    for other in others:
        if not comparable(recorded, other):
            continue
        try:
            storages = {role: service(label, machine) for role, label in other.work.storages.items()}
        except UsageError:
            continue
        target = Target(
            machine,
            other.work.nodes,
            other.cores,
            storages,
            other.work.size,
            _partitions(other),
            recorded.growth,
        )
        found.append(LeftOut(other.name, model.at(target).seconds, other.work.measured))
    return found


def _partitions(recorded: Recorded) -> int | None:
    workload = recorded.spec.get("workload", {})
    return next((int(workload[key]) for key in ("partitions", "mappers") if workload.get(key)), None)


def error(found: Sequence[LeftOut]) -> float:
    """The median error; 0 without runs."""
    return median([one.error for one in found]) if found else 0.0
