"""How many times faster a job would be at most without a part of its tasks' time: its stages scheduled again."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars

from weft.analysis.explain import schedule, slots
from weft.analysis.explain.evidence import Evidence, Window
from weft.analysis.explain.schedule import Step
from weft.analysis.explain.slots import Stage
from weft.analysis.read.sums import sums

_MOMENT = 1e-3
"""Seconds that no job takes less than."""
_KEPT = (slots.START, slots.DRIVER, slots.STRAGGLERS, slots.FEW)
"""Reasons for an empty slot without which tasks take as long together."""


@dataclass(frozen=True)
class Bounds:
    """A job as it can be scheduled again. Times in seconds."""

    plan: Mapping[Stage, Step]
    slots: int
    wall: float
    rest: float
    """The driver alone, after the last task."""
    ready: Mapping[str, float]
    """By reason: in which a slot was empty while a task was ready. Scheduling again does not know that time."""
    again: float
    """The job's own tasks, scheduled again."""
    lags: float
    """The same of tasks that take no time: the start, and the driver alone between stages."""

    @classmethod
    def of(cls, found: Evidence, stages: polars.DataFrame, window: Window) -> "Bounds":
        """Of the tasks in a window."""
        # as they were launched: rows are as they ended, a long one last
        launched = found.tasks["begin"].to_numpy().argsort(kind="stable")
        tasks = [(found.stages[row], found.use.held[row]) for row in launched]
        plan = schedule.steps(tasks, stages, window.begin)
        last = float(np.max(found.tasks["end"].to_numpy().clip(window.begin, window.end)))
        again = schedule.without("", plan, {}, found.slots)
        wall, rest = window.end - window.begin, window.end - last
        lags = schedule.makespan({key: replace(step, tasks=()) for key, step in plan.items()}, found.slots)
        return cls(plan, found.slots, wall, rest, _ready(found.use), again, lags)

    @property
    def replay(self) -> float:
        """The time as scheduled again, over the real one."""
        return (self.again + self.rest) / self.wall

    def without(self, part: str, shares: Mapping[Stage, Mapping[str, float]]) -> float:
        """At least 1. `shares`: by stage, what of its tasks' time each part is."""
        if not self.again:
            return 1.0
        left = schedule.without(part, self.plan, shares, self.slots)
        after = 0.0 if part == slots.DRIVER else self.rest
        return max(1.0, self.wall / max(left + after + self._unknown(part, left), _MOMENT))

    def _unknown(self, part: str, left: float) -> float:
        """What scheduling again does not know. A slot that is kept for a task's locality waits for tasks of others: less where these are shorter."""
        unknown = self.wall - self.rest - self.again
        if unknown <= 0 or part in _KEPT:
            return unknown
        if part in self.ready:
            return max(0.0, unknown - self.ready[part])
        shorter = (left - self.lags) / max(self.again - self.lags, _MOMENT)
        return unknown * min(max(shorter, 0.0), 1.0)


def _ready(use: slots.Use) -> dict[str, float]:
    """By reason: seconds in which at least one slot was empty while a task was ready, by what each reason is of such slot time."""
    of = sums((reason, seconds) for (reason, _), seconds in use.empty.items() if reason in slots.WHILE_READY)
    return {reason: use.scheduling * seconds / sum(of.values()) for reason, seconds in of.items() if seconds}
