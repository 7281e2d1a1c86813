"""Reschedules a job's stages on the same slots: how long it would have taken if its tasks had been different.

How much faster it could be at most without one part of its time: its stages scheduled again without it.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars

from weft.analysis.explain import slots
from weft.analysis.explain.slots import Stage

_AT_ONCE = 0.001
"""Seconds by which the driver's clock may order an end and a beginning the wrong way round."""
_PIECES = 10_000
"""Tasks into which work is divided evenly at most: on more slots a stage takes as long, and leaves others more room."""


@dataclass(frozen=True)
class Step:
    """A stage: how long each of its tasks holds a slot, the stages it depends on, and how long the driver then takes."""

    tasks: Sequence[float]
    after: frozenset[Stage] = frozenset()
    lag: float = 0.0


def makespan(plan: Mapping[Stage, Step], count: int) -> float:
    """Seconds until the last stage ends: a free slot takes the next task of the first stage in order."""
    return _Replay(plan, count).play()


def steps(tasks: Sequence[tuple[Stage, float]], stages: polars.DataFrame, begin: float) -> dict[Stage, Step]:
    """The stages as they were: what each task held of a slot, what they had to wait for, and the driver's time between."""
    durations: dict[Stage, list[float]] = defaultdict(list)
    for stage, seconds in tasks:
        if seconds > 0:
            durations[stage].append(seconds)
    rows = [row for row in stages.sort("begin").iter_rows(named=True) if key_of(row) in durations]
    ends = {key_of(row): row["end"] for row in rows if row["end"] is not None}
    found = {}
    for row in rows:
        key = key_of(row)
        after = _parents(row, ends) or _before(row, ends)
        ready = max((ends[one] for one in after), default=begin)
        found[key] = Step(durations[key], frozenset(after), max(0.0, (row["begin"] or ready) - ready))
    return found


def key_of(row: Mapping[str, object]) -> Stage:
    """Which stage a row of the job metrics is."""
    return str(row["app"]), int(str(row["stage"])), int(str(row["attempt"]))


def _parents(row: Mapping[str, object], ends: Mapping[Stage, float]) -> list[Stage]:
    """The stages that it reads, as far as they ran before it; skipped ones did not."""
    wanted = row["parents"]
    begin = row["begin"]
    if not isinstance(wanted, list) or not isinstance(begin, float):
        return []
    mine = [key for key, end in ends.items() if key[0] == row["app"] and key[1] in wanted]
    return [key for key in mine if ends[key] <= begin + _AT_ONCE]


def _before(row: Mapping[str, object], ends: Mapping[Stage, float]) -> list[Stage]:
    """Without parents it waited for the driver, which had waited for whatever ended before."""
    begin = row["begin"]
    if not isinstance(begin, float):
        return []
    earlier = [key for key, end in ends.items() if end <= begin + _AT_ONCE]
    return sorted(earlier, key=lambda key: ends[key])[-1:]


def without(
    part: str, plan: Mapping[Stage, Step], shares: Mapping[Stage, Mapping[str, float]], count: int
) -> float:
    """Seconds of the job without a part; `shares`: by stage, what of its tasks' time each part is."""

    def change(key: Stage, step: Step) -> Step:
        if part == (slots.DRIVER if step.after else slots.START):
            return replace(step, lag=0.0)
        if part == (slots.STRAGGLERS if len(step.tasks) >= count else slots.FEW):
            return replace(step, tasks=[sum(step.tasks) / count] * min(count, _PIECES))
        left = max(0.0, 1 - shares.get(key, {}).get(part, 0.0))
        return replace(step, tasks=[seconds * left for seconds in step.tasks])

    return makespan({key: change(key, step) for key, step in plan.items()}, count)


class _Replay:
    """Three queues: stages that wait for their start time, stages with tasks to start, running tasks."""

    def __init__(self, steps: Mapping[Stage, Step], count: int) -> None:
        self.steps, self.free, self.now = steps, count, 0.0
        self.order = {key: number for number, key in enumerate(steps)}
        self.followers: dict[Stage, list[Stage]] = {key: [] for key in steps}
        self.missing = {key: sum(before in steps for before in step.after) for key, step in steps.items()}
        self.open = {key: len(step.tasks) for key, step in steps.items()}
        self.waiting: list[tuple[float, int, Stage]] = []
        self.ready: list[tuple[int, int, Stage]] = []
        self.running: list[tuple[float, Stage]] = []
        for key, step in steps.items():
            for before in step.after & steps.keys():
                self.followers[before].append(key)
            if not self.missing[key]:
                self._wait(key)

    def play(self) -> float:
        """Run from event to event until the queues are empty."""
        while self.waiting or self.running:
            self.now = max(self.now, min(queue[0][0] for queue in (self.waiting, self.running) if queue))
            while self.running and self.running[0][0] <= self.now:
                self._end(heapq.heappop(self.running)[1])
            while self.waiting and self.waiting[0][0] <= self.now:
                self._begin(heapq.heappop(self.waiting)[2])
            while self.free and self.ready:
                self._start(*heapq.heappop(self.ready))
        return self.now

    def _wait(self, key: Stage) -> None:
        heapq.heappush(self.waiting, (self.now + self.steps[key].lag, self.order[key], key))

    def _begin(self, key: Stage) -> None:
        if self.open[key]:
            heapq.heappush(self.ready, (self.order[key], 0, key))
        else:
            self._finish(key)

    def _start(self, number: int, index: int, key: Stage) -> None:
        tasks = self.steps[key].tasks
        heapq.heappush(self.running, (self.now + tasks[index], key))
        self.free -= 1
        if index + 1 < len(tasks):
            heapq.heappush(self.ready, (number, index + 1, key))

    def _end(self, key: Stage) -> None:
        self.free += 1
        self.open[key] -= 1
        if not self.open[key]:
            self._finish(key)

    def _finish(self, key: Stage) -> None:
        for follower in self.followers[key]:
            self.missing[follower] -= 1
            if not self.missing[follower]:
                self._wait(follower)
