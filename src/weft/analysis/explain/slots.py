"""Slots over time: which tasks filled them, and why the others were empty. Every slot-second has one category.

Times are seconds since the epoch. A stage is identified by (application, number, attempt).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

START = "no task: application start"
DRIVER = "no task: driver"
SCHEDULING = "no task: scheduling"
LOCALITY = "no task: locality"
STRAGGLERS = "no task: stragglers"
FEW = "no task: too few tasks"
EMPTY = (START, DRIVER, SCHEDULING, LOCALITY, STRAGGLERS, FEW)
"""Why a slot has no task."""
WHILE_READY = (SCHEDULING, LOCALITY)
"""Those for which a task was ready."""

Stage = tuple[str, int, int]


@dataclass(frozen=True)
class SlotUse:
    """A slot that a task held, whether the task succeeded or not."""

    stage: Stage
    begin: float
    end: float
    place: str = ""
    """The executor whose slot it was."""
    ready: float | None = None
    """Of a further attempt at the same partition, when it could begin: when the one before had failed, or now for a copy of one that
    runs. None for the first attempt, which can begin when its stage is submitted."""
    known: float | None = None
    """When it could begin, where the engine says so of each task."""
    local: bool | None = None
    """Whether it ran where it wanted to; None where the engine does not say."""


@dataclass(frozen=True)
class Use:
    """Slot-seconds: those that each task held, in the order of the tasks, and those of empty slots by reason and stage."""

    held: Sequence[float]
    empty: Mapping[tuple[str, Stage | None], float]
    scheduling: float = 0.0
    """Seconds in which at least one was empty while a task was ready."""

    def apart(self, kept: Mapping[Stage, float]) -> "Use":
        """With the slot-seconds that were kept free for locality, by stage, as a reason of their own."""
        empty = dict(self.empty)
        for stage, seconds in kept.items():
            waited = empty.pop((SCHEDULING, stage), 0.0)
            of = {LOCALITY: min(seconds, waited), SCHEDULING: max(0.0, waited - seconds)}
            empty |= {(reason, stage): share for reason, share in of.items() if share}
        return replace(self, empty=empty)

    def ready(self, stage: Stage) -> float:
        """Of slots that were empty while a task of a stage was ready."""
        return sum(self.empty.get((reason, stage), 0.0) for reason in WHILE_READY)

    @property
    def whole(self) -> float:
        """All of them."""
        return sum(self.held) + sum(self.empty.values())


@dataclass
class _Now:
    """The state between two events."""

    total: Mapping[Stage, int]
    """Partitions: not their attempts."""
    again: dict[Stage, int] = field(default_factory=dict)
    """Partitions whose attempt failed, and that wait for the next one."""
    running: dict[Stage, int] = field(default_factory=dict)
    launched: dict[Stage, int] = field(default_factory=lambda: defaultdict(int))
    active: set[Stage] = field(default_factory=set)
    held: int = 0
    """Slots with a task."""
    slots: int = 0

    def why(self) -> tuple[str, Stage | None]:
        """Why a slot is empty now, and of which stage."""
        waiting = [*self.active, *self.again]
        if waiting:
            return SCHEDULING, min(waiting)
        if not self.held:
            return DRIVER, None
        few = sum(self.total[stage] for stage in self.running) < self.slots
        return (FEW if few else STRAGGLERS), min(self.running)

    def apply(self, event: str, stage: Stage) -> None:
        """A stage is submitted, or an attempt begins or ends, or is ready again."""
        match event:
            case "submitted" if self.launched[stage] < self.total.get(stage, 0):
                self.active.add(stage)
            case "begin" | "copy":
                _count(self.running, stage, 1)
                self.launched[stage] += event == "begin"
                if self.launched[stage] >= self.total[stage]:
                    self.active.discard(stage)
            case "end":
                _count(self.running, stage, -1)
            case "ready" | "retried":
                _count(self.again, stage, 1 if event == "ready" else -1)


def _count(counts: dict[Stage, int], stage: Stage, step: int) -> None:
    """Without a stage of none: each moment looks at all that are there, of thousands in a long job."""
    counts[stage] = counts.get(stage, 0) + step
    if not counts[stage]:
        del counts[stage]


def use(
    tasks: Sequence[SlotUse],
    submitted: Mapping[Stage, float],
    begin: float,
    end: float,
    slots: int,
    rooms: Mapping[str, int] | None = None,
    steps: Sequence[tuple[float, int]] = (),
) -> Use:
    """Use of the slots from `begin` to `end`. The sum of all its figures is slots x (end - begin).

    `steps`: from when on there were how many, where their number changed; `slots` is then their largest number.

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
    offered, waited = steps or ((begin, slots),), 0.0
    for at, until, now in _moments(tasks, of_task, inside, submitted, offered, begin, end):
        if (free := now.slots - now.held) > 0:
            reason = (START, None) if until <= first else (DRIVER, None) if at >= last else now.why()
            empty[reason] += free * (until - at)
            waited += until - at if reason[0] == SCHEDULING else 0.0
    return Use(
        [float(place.between(at, until)) for place, (at, until) in zip(of_task, inside, strict=True)],
        {why: float(free) for why, free in empty.items()},
        float(waited),
    )


def _moments(
    tasks: Sequence[SlotUse],
    of_task: Sequence["_Place"],
    inside: Sequence[tuple[float, float]],
    submitted: Mapping[Stage, float],
    offered: Sequence[tuple[float, int]],
    begin: float,
    end: float,
) -> Iterator[tuple[float, float, _Now]]:
    """Each interval in which nothing begins or ends."""
    changes: dict[float, list[tuple[str, Stage, _Place | None]]] = defaultdict(list)
    total: dict[Stage, int] = defaultdict(int)
    for task, own, (at, until) in zip(tasks, of_task, inside, strict=True):
        if until > at:
            total[task.stage] += task.ready is None
            changes[at].append(("begin" if task.ready is None else "copy", task.stage, own))
            changes[until].append(("end", task.stage, own))
            ready = task.ready if task.known is None else task.known
            if ready is not None and (since := max(begin, ready)) < at:
                changes[since].append(("ready", task.stage, None))
                changes[at].append(("retried", task.stage, None))
    for stage, at in submitted.items():
        changes[min(max(at, begin), end)].append(("submitted", stage, None))
    now = _Now(total)
    counts = {max(begin, at): count for at, count in offered if at < end}
    for at, until in pairwise(sorted({begin, end, *changes, *counts})):
        now.slots = counts.get(at, now.slots)
        for event, stage, place in changes.get(at, ()):
            now.apply(event, stage)
            if place:
                now.held += place.change(at, -1 if event == "end" else 1)
        yield at, until, now
    for _, _, last in changes.get(end, ()):
        if last:
            last.change(end, -1)


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
