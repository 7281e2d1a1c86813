"""Slots over time: which tasks filled them, and why the others were empty. Every slot-second has one category.

Times are seconds since the epoch. A stage is identified by (application, number, attempt).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

START = "no task: application start"
DRIVER = "no task: driver"
SCHEDULING = "no task: scheduling"
STRAGGLERS = "no task: stragglers"
FEW = "no task: too few tasks"
EMPTY = (START, DRIVER, SCHEDULING, STRAGGLERS, FEW)
"""Why a slot has no task."""

Stage = tuple[str, int, int]


@dataclass(frozen=True)
class SlotUse:
    """A slot that a task held, whether the task succeeded or not."""

    stage: Stage
    begin: float
    end: float
    place: str = ""
    """The executor whose slot it was."""


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
    """Slots with a task."""

    def why(self, slots: int) -> tuple[str, Stage | None]:
        """Why a slot is empty now, and of which stage."""
        waiting = [stage for stage in self.active if self.launched[stage] < self.total[stage]]
        if waiting:
            return SCHEDULING, min(waiting)
        if not self.held:
            return DRIVER, None
        busy = [stage for stage, count in self.running.items() if count]
        few = sum(self.total[stage] for stage in busy) < slots
        return (FEW if few else STRAGGLERS), min(busy)


def use(
    tasks: Sequence[SlotUse],
    submitted: Mapping[Stage, float],
    begin: float,
    end: float,
    slots: int,
    rooms: Mapping[str, int] | None = None,
) -> Use:
    """Use of the slots from `begin` to `end`. The sum of all its figures is slots x (end - begin).

    Where job metrics have more tasks at once than slots, as with Flink's chains, they share them equally: those of an executor
    its own, where `rooms` has the slots of all executors.
    """
    rooms = rooms if rooms and sum(rooms.values()) == slots else {}
    places = {task.place if rooms else "" for task in tasks}
    if not all(place in rooms for place in places):
        rooms = {}
    shares = {place: _Place(rooms.get(place, slots)) for place in (places if rooms else {""})}
    of_task = [shares[task.place if rooms else ""] for task in tasks]
    inside = [(max(begin, task.begin), min(end, task.end)) for task in tasks]
    first = min((at for at, until in inside if until > at), default=end)
    last = max((until for at, until in inside if until > at), default=begin)
    empty: dict[tuple[str, Stage | None], float] = defaultdict(float)
    for at, until, now in _moments(tasks, of_task, inside, submitted, begin, end):
        if (free := slots - now.held) > 0:
            reason = (START, None) if until <= first else (DRIVER, None) if at >= last else now.why(slots)
            empty[reason] += free * (until - at)
    return Use(
        [float(place.between(at, until)) for place, (at, until) in zip(of_task, inside, strict=True)],
        {why: float(free) for why, free in empty.items()},
    )


def _moments(
    tasks: Sequence[SlotUse],
    of_task: Sequence["_Place"],
    inside: Sequence[tuple[float, float]],
    submitted: Mapping[Stage, float],
    begin: float,
    end: float,
) -> Iterator[tuple[float, float, _Now]]:
    """Each interval in which nothing begins or ends."""
    changes: dict[float, list[tuple[int, Stage, _Place | None]]] = defaultdict(list)
    total: dict[Stage, int] = defaultdict(int)
    for task, own, (at, until) in zip(tasks, of_task, inside, strict=True):
        if until > at:
            total[task.stage] += 1
            changes[at].append((1, task.stage, own))
            changes[until].append((-1, task.stage, own))
    for stage, at in submitted.items():
        changes[min(max(at, begin), end)].append((0, stage, None))
    now = _Now(total)
    for at, until in pairwise(sorted({begin, end, *changes})):
        for step, stage, place in changes.get(at, ()):
            _apply(now, step, stage)
            if place:
                now.held += place.change(at, step)
        yield at, until, now
    for step, _, last in changes.get(end, ()):
        if last:
            last.change(end, step)


def _apply(now: _Now, step: int, stage: Stage) -> None:
    if step == 0:
        if now.total.get(stage):
            now.active.add(stage)
        return
    now.running[stage] += step
    if step > 0:
        now.launched[stage] += 1
        if now.launched[stage] >= now.total[stage]:
            now.active.discard(stage)


@dataclass
class _Place:
    """Slots that the same tasks share: the share of a slot that each running one has, summed over time."""

    room: int
    held: int = 0
    """Tasks."""
    since: float = 0.0
    sum: float = 0.0
    sums: dict[float, float] = field(default_factory=dict)
    """At each begin and end of a task here."""

    def change(self, at: float, step: int) -> int:
        """A task begins or ends; by how many more slots have a task."""
        if self.held:
            self.sum += min(1.0, self.room / self.held) * (at - self.since)
        self.sums[at] = self.sum
        before = min(self.room, self.held)
        self.since, self.held = at, self.held + step
        return min(self.room, self.held) - before

    def between(self, at: float, until: float) -> float:
        return self.sums[until] - self.sums[at] if until > at else 0.0
