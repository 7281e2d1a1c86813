"""Other runs of the same work as a test: predicted from one run, and what they took."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from weft.analysis.predict import correction, distance
from weft.analysis.predict.correction import NONE, USUAL, Residual
from weft.analysis.predict.distance import Axes
from weft.analysis.predict.forecast import Model
from weft.analysis.predict.jobprofile import WARM_UP
from weft.analysis.predict.machine import Machine, service
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import Target
from weft.errors import UsageError

MOST = 12
"""Runs that are looked at, newest first: each is read whole."""
_SHARES = tuple(share / 20 for share in range(17))
"""Of the CPU time that may be warm-up."""
_EITHER_WAY = 0.25
"""Of the CPU time, by which its usual part may differ."""


@dataclass(frozen=True)
class HoldOut:
    """A run that was predicted. Times are seconds of the result."""

    run: str
    predicted: float
    measured: float
    axes: Axes
    """How far it is from the run that it was predicted from."""
    storages: Mapping[str, str]
    """By role."""

    @property
    def residual(self) -> Residual:
        return Residual(self.axes, math.log(self.measured / self.predicted))

    @property
    def error(self) -> float:
        """Of the logarithm: 0.1 is about 10 % either way."""
        return abs(math.log(self.predicted / self.measured))


def comparable(recorded: Recorded, other: Recorded) -> bool:
    """Whether they differ at most in what a prediction can change."""
    same_engine = recorded.work.engine == other.work.engine and recorded.spec.get("engine") == other.spec.get(
        "engine"
    )
    return recorded.name != other.name and same_engine and same_work(recorded, other)


def same_work(recorded: Recorded, other: Recorded) -> bool:
    """Whether they are the same workload on the same kind of nodes, but for what a prediction can change."""
    return recorded.kind == other.kind and _unpredicted_keys(recorded) == _unpredicted_keys(other)


def _unpredicted_keys(recorded: Recorded) -> dict[str, Any]:
    """Of a workload: all but those that a prediction can change."""
    workload = recorded.spec.get("workload", {})
    changes = {recorded.work.size_key, recorded.growth.key}
    return {key: value for key, value in workload.items() if key not in changes}


def predict_others(
    recorded: Recorded, model: Model, machine: Machine, others: Sequence[Recorded]
) -> list[HoldOut]:
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
        at = model.at(target)
        axes = distance.axes(model, target, at)
        found.append(HoldOut(other.name, at.seconds, other.work.measured, axes, other.work.storages))
    return found


def with_best_warm_up(
    recorded: Recorded, machine: Machine, others: Sequence[Recorded], run: float = USUAL
) -> Recorded:
    """The run, with that part of its CPU time as warm-up by which the other runs are predicted best."""
    alike = [other for other in others if comparable(recorded, other)]
    if recorded.work.jvm_a_task or not alike:
        return recorded

    def off(share: float) -> float:
        trial = replace(recorded, work=replace(recorded.work, warm_up=share))
        runs = [one.residual for one in predict_others(trial, trial.model(machine), machine, alike)]
        return correction.squares(runs, run) + ((share - WARM_UP) / _EITHER_WAY) ** 2

    best = min(_SHARES, key=off)
    return replace(recorded, work=replace(recorded.work, warm_up=best))


def _partitions(recorded: Recorded) -> int | None:
    found = recorded.spec.get("workload", {}).get(recorded.growth.key)
    return int(found) if found else None


def nearest(
    recorded: Recorded, machine: Machine, others: Sequence[Recorded], targets: Sequence[Target]
) -> Recorded:
    """The comparable run that is nearest to the targets by the errors that are assumed; the first one where they are alike."""
    own = _partitions(recorded)
    alike = [one for one in others if comparable(recorded, one) and _partitions(one) == own]

    def away(recorded: Recorded) -> float:
        model = recorded.model(machine)
        return sum(NONE.at(distance.axes(model, target, model.at(target)))[1] for target in targets)

    return min([recorded, *alike], key=away)


def error(holdouts: Sequence[HoldOut]) -> float:
    """The median error; 0 without runs."""
    return median([one.error for one in holdouts]) if holdouts else 0.0
