"""A job over the number of nodes: the curve with its band, the knee, and how far it is from what was measured."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from weft.analysis.predict import distance, memory
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.correction import NONE, Correction
from weft.analysis.predict.distance import AGAIN
from weft.analysis.predict.forecast import Model
from weft.analysis.predict.target import Target
from weft.analysis.read.part import Part

FAR = 16.0
"""Factor of extrapolation from which a prediction is marked: two doublings beyond the fourfold range of usual studies."""
_BAND = 0.9
"""Share of runs that a band holds."""
_STEP = 1.04
"""Ratio of neighbouring numbers of nodes in the search for the knee."""


class Point(Part):
    """One number of nodes. Times in seconds; low and high bound 90 % of runs if the stated errors hold."""

    nodes: int
    cores: int
    seconds: float
    low: float
    high: float
    node_hours: float
    waiting: float
    """Share of slot time paid for queues and empty slots."""
    shortest: float
    longest: float
    """Seconds if a call alone takes as little, or as much, as what is known of the storages allows."""
    factor: float
    """How many times more slots, data or blocks than measured, whichever is most."""

    @property
    def far(self) -> bool:
        return self.factor >= FAR


@dataclass(frozen=True)
class Knee:
    """Where more nodes stop to help."""

    cores: float
    resource: str


def points(
    model: Model,
    target_at: Callable[[int], Target],
    counts: Sequence[int],
    correction: Correction = NONE,
    *,
    both_again: bool = False,
) -> list[Point]:
    """The curve, corrected by other runs of the same work. `both_again`: as it compares with the measured run when both are made again."""
    return [_point(model, target_at(nodes), correction, both_again=both_again) for nodes in counts]


def _point(model: Model, target: Target, correction: Correction, *, both_again: bool) -> Point:
    found = model.at(target)
    axes = distance.axes(model, target, found)
    shortest, longest = _otherwise(model, target, found.seconds)
    # a factor that the measured run had by luck is in its prediction as well
    log, deviation = correction.at(
        {name: at for name, at in axes.items() if not (both_again and name == AGAIN)}
    )
    width = correction.within(_BAND) * math.hypot(
        deviation,
        math.log(max(model.replay(), 1e-3)),
        VALUE["error_per_waiting"] * distance.queued_share(model),
        VALUE["error_per_machine"] if target.machine.name != model.measured.machine.name else 0.0,
    )
    longer = math.exp(log)
    return Point(
        nodes=found.nodes,
        cores=found.slots,
        seconds=found.seconds * longer,
        shortest=shortest * longer,
        longest=longest * longer,
        low=shortest * longer * math.exp(-width),
        high=longest * longer * math.exp(width),
        node_hours=found.node_hours * longer,
        waiting=found.waiting,
        factor=distance.extrapolation(model, target, found),
    )


def _otherwise(model: Model, target: Target, seconds: float) -> tuple[float, float]:
    """The least and most seconds, with the other latencies that a storage may have by what is known of it, and with spills if
    memory may not suffice."""
    found = [seconds]
    if short := memory.shortages(model.work, target):
        crowded = replace(target, crowded=frozenset(one.stage for one in short))
        found.append(model.at(crowded).seconds)
    for role, service in target.storages.items():
        for latency in service.latencies:
            other = replace(service, latency=latency)
            found.append(model.at(replace(target, storages={**target.storages, role: other})).seconds)
    return min(found), max(found)


def knee(model: Model, target_at: Callable[[int], Target], most: int) -> Knee | None:
    """Where the time of the job without limits meets the time that its busiest resource needs; None up to `most` nodes.

    Resources: each shared service, the driver alone, and the number of tasks.
    """
    before: dict[str, tuple[float, float]] = {}
    for nodes in _counts(most):
        found = model.at(target_at(nodes), queues=False)
        ratios = (
            {name: seconds / found.free for name, seconds in found.busy().items()} if found.free > 0 else {}
        )
        ratios["the driver alone, between stages"] = found.driver / max(found.free, 1e-9)
        ratios["the number of tasks"] = found.slots / max((stage.tasks for stage in found.stages), default=1)
        over = {name: ratio for name, ratio in ratios.items() if ratio >= 1}
        if over:
            crossings = (
                (_between(before.get(name), (found.slots, ratio)), name) for name, ratio in over.items()
            )
            return Knee(*min(crossings))
        before = {name: (found.slots, ratio) for name, ratio in ratios.items()}
    return None


def _between(before: tuple[float, float] | None, now: tuple[float, float]) -> float:
    """The number of slots at which the ratio is 1, on a straight line between logarithms."""
    if before is None or before[1] <= 0 or before[1] >= now[1] or before[0] >= now[0]:
        return now[0]
    share = -math.log(before[1]) / (math.log(now[1]) - math.log(before[1]))
    return float(math.exp(math.log(before[0]) + share * (math.log(now[0]) - math.log(before[0]))))


def _counts(most: int) -> list[int]:
    """1, 2, 3, ... and from there by a few per cent."""
    found, at = [], 1.0
    while round(at) <= most:
        found.append(round(at))
        at = max(at + 1, at * _STEP)
    return found
