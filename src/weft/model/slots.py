"""Slots over time: which tasks filled them, and why the others were empty. Every slot-second has one category.

Times are seconds since the epoch. A stage is identified by (application, number, attempt).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

START = "no task: start of the job"
DRIVER = "no task: driver alone"
SCHEDULING = "no task: scheduling"
TAIL = "no task: tail of a stage"
FEW = "no task: too few tasks"
EMPTY = (START, DRIVER, SCHEDULING, TAIL, FEW)
"""Why a slot has no task."""

Stage = tuple[str, int, int]


@dataclass(frozen=True)
class Held:
    """A slot that a task held, whether the task succeeded or not."""

    stage: Stage
    begin: float
    end: float


@dataclass(frozen=True)
class Use:
    """Slot-seconds: those that each task held, in the order of the tasks, and those of empty slots by reason and stage."""

    held: Sequence[float]
    empty: Mapping[tuple[str, Stage | None], float]


@dataclass
class _Now:
    """The state between two events."""

    total: Mapping[Stage, int]
    running: dict[Stage, int] = field(default_factory=lambda: defaultdict(int))
    launched: dict[Stage, int] = field(default_factory=lambda: defaultdict(int))
    active: set[Stage] = field(default_factory=set)
    held: int = 0

    def why(self, slots: int) -> tuple[str, Stage | None]:
        """Why a slot is empty now, and of which stage."""
        waiting = [stage for stage in self.active if self.launched[stage] < self.total[stage]]
        if waiting:
            return SCHEDULING, min(waiting)
        if not self.held:
            return DRIVER, None
        busy = [stage for stage, count in self.running.items() if count]
        few = sum(self.total[stage] for stage in busy) < slots
        return (FEW if few else TAIL), min(busy)


def use(tasks: Sequence[Held], submitted: Mapping[Stage, float], begin: float, end: float, slots: int) -> Use:
    """Use of the slots from `begin` to `end`. The sum of all its figures is slots x (end - begin).

    Where job metrics have more tasks at once than slots, as with Flink's chains, they share them equally.
    """
    inside = [(max(begin, task.begin), min(end, task.end)) for task in tasks]
    first = min((at for at, until in inside if until > at), default=end)
    last = max((until for at, until in inside if until > at), default=begin)
    empty: dict[tuple[str, Stage | None], float] = defaultdict(float)
    share = _Shares()
    for at, until, now in _moments(tasks, inside, submitted, begin, end):
        share.add(at, until, min(1.0, slots / now.held) if now.held else 0.0)
        if (free := slots - now.held) > 0:
            reason = (START, None) if until <= first else (DRIVER, None) if at >= last else now.why(slots)
            empty[reason] += free * (until - at)
    return Use(
        [float(share.between(at, until)) for at, until in inside],
        {why: float(free) for why, free in empty.items()},
    )


def _moments(
    tasks: Sequence[Held],
    inside: Sequence[tuple[float, float]],
    submitted: Mapping[Stage, float],
    begin: float,
    end: float,
) -> Iterator[tuple[float, float, _Now]]:
    """Each interval in which nothing begins or ends."""
    changes: dict[float, list[tuple[int, Stage]]] = defaultdict(list)
    total: dict[Stage, int] = defaultdict(int)
    for task, (at, until) in zip(tasks, inside, strict=True):
        if until > at:
            total[task.stage] += 1
            changes[at].append((1, task.stage))
            changes[until].append((-1, task.stage))
    for stage, at in submitted.items():
        changes[min(max(at, begin), end)].append((0, stage))
    now = _Now(total)
    for at, until in pairwise(sorted({begin, end, *changes})):
        for step, stage in changes.get(at, ()):
            _apply(now, step, stage)
        yield at, until, now


def _apply(now: _Now, step: int, stage: Stage) -> None:
    if step == 0:
        if now.total.get(stage):
            now.active.add(stage)
        return
    now.held += step
    now.running[stage] += step
    if step > 0:
        now.launched[stage] += 1
        if now.launched[stage] >= now.total[stage]:
            now.active.discard(stage)


@dataclass
class _Shares:
    """The share of a slot that a running task has, summed over time."""

    sums: dict[float, float] = field(default_factory=dict)
    sum: float = 0.0

    def add(self, at: float, until: float, share: float) -> None:
        self.sums.setdefault(at, self.sum)
        self.sum += share * (until - at)
        self.sums[until] = self.sum

    def between(self, at: float, until: float) -> float:
        # every task's begin and end is one of the moments
        return self.sums[until] - self.sums[at] if until > at else 0.0
