"""Slots that were kept free for locality: their executor had no task, since those that were left wanted another executor.

Spark's delay scheduling: it waits `spark.locality.wait` before it gives a task to an executor that does not have the task's cached or
stored input. Nothing is known of a stage where nobody reports of each task whether it ran where it wanted to.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest
from itertools import accumulate, pairwise

from weft.analysis.explain.slots import SlotUse, Stage

_LEAST = 0.1
"""Seconds: an executor that is free for less waits for the scheduler's next round."""
_NEVER = float("-inf")


@dataclass(frozen=True)
class Executor:
    """Of an application; its slots, and from when to when it had them, in seconds since the epoch."""

    app: str
    slots: int
    since: float
    until: float


@dataclass
class _Launches:
    """When the tasks of a stage were launched."""

    last: float = _NEVER
    local: dict[str, float] = field(default_factory=dict)
    """By executor: the last one that ran there by its wish."""
    far: dict[str, float] = field(default_factory=dict)
    """The same of those that did not."""

    def add(self, task: SlotUse) -> None:
        """Take one into account."""
        of = self.local if task.local else self.far
        of[task.place] = max(of.get(task.place, _NEVER), task.begin)
        self.last = max(self.last, task.begin)

    def kept_by(self, name: str, submitted: float) -> float:
        """From when on none that was left would have run on an executor at once: all of them wanted another one."""
        elsewhere = [at for place, at in self._latest if place != name]
        return max(submitted, self.local.get(name, _NEVER), *elsewhere)

    @cached_property
    def _latest(self) -> list[tuple[str, float]]:
        return nlargest(2, self.far.items(), key=lambda item: item[1])


def kept(
    tasks: Sequence[SlotUse], submitted: Mapping[Stage, float], executors: Mapping[str, Executor]
) -> dict[Stage, float]:
    """By stage: slot-seconds that executors kept free while tasks of it were ready.

    Not of stages with a second attempt at a task, or with tasks of which nobody says where they wanted to run.
    """
    stages = _stages(tasks, submitted)
    if not stages:
        return {}
    changes: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for task in tasks:
        changes[task.place] += [(task.begin, 1), (task.end, -1)]
    found: dict[Stage, float] = defaultdict(float)
    for name, executor in executors.items():
        held, closed = _Held(changes[name]), executor.since
        of_stages = [
            (launches.kept_by(name, submitted[key]), launches.last, key)
            for key, launches in stages.items()
            if key[0] == executor.app
        ]
        for begin, end, stage in sorted(each for each in of_stages if each[1] - each[0] >= _LEAST):
            found[stage] += held.free(max(begin, closed), min(end, executor.until), executor.slots)
            closed = max(closed, end)
    return found


def _stages(tasks: Sequence[SlotUse], submitted: Mapping[Stage, float]) -> dict[Stage, _Launches]:
    found: dict[Stage, _Launches] = defaultdict(_Launches)
    unknown = set()
    for task in tasks:
        if task.local is None or task.ready is not None or task.stage not in submitted:
            unknown.add(task.stage)
        else:
            found[task.stage].add(task)
    return {stage: launches for stage, launches in found.items() if stage not in unknown}


class _Held:
    """How many slots of an executor had a task, over time."""

    def __init__(self, changes: Sequence[tuple[float, int]]) -> None:
        ordered = sorted(changes)
        self.times = [at for at, _ in ordered]
        self.after = [0, *accumulate(step for _, step in ordered)]
        """By how many changes there were before."""

    def free(self, begin: float, end: float, slots: int) -> float:
        """Slot-seconds of an interval in which there were free ones."""
        if end <= begin:
            return 0.0
        first, last = bisect_right(self.times, begin), bisect_left(self.times, end)
        moments = [begin, *self.times[first:last], end]
        pieces = zip(self.after[first:], pairwise(moments), strict=False)
        return sum(
            (until - at) * (slots - held)
            for held, (at, until) in pieces
            if held < slots and until - at >= _LEAST
        )
