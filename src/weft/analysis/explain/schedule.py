"""Reschedules a job's stages on the same slots: how long it would have taken if its tasks had been different."""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from weft.analysis.explain.slots import Stage


@dataclass(frozen=True)
class Step:
    """A stage: how long each of its tasks holds a slot, the stages it depends on, and how long the driver then takes."""

    tasks: Sequence[float]
    after: frozenset[Stage] = frozenset()
    lag: float = 0.0


def makespan(steps: Mapping[Stage, Step], slots: int) -> float:
    """Seconds until the last stage ends: a free slot takes the next task of the first stage in order."""
    return _Replay(steps, slots).play()


def changed(steps: Mapping[Stage, Step], change: Callable[[Stage, Step], Step]) -> dict[Stage, Step]:
    """The same stages, each replaced by `change`."""
    return {key: change(key, step) for key, step in steps.items()}


class _Replay:
    """Three queues: stages that wait for their start time, stages with tasks to start, running tasks."""

    def __init__(self, steps: Mapping[Stage, Step], slots: int) -> None:
        self.steps, self.free, self.now = steps, slots, 0.0
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
