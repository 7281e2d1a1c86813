"""A job's time at a target: its stages, one task after another on slots, each as long as queues make it."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

from weft.analysis.explain import schedule
from weft.analysis.explain.schedule import Step
from weft.analysis.explain.slots import Stage
from weft.analysis.explain.spread import Numbers
from weft.analysis.predict import demand
from weft.analysis.predict.demand import Anchors, Demand
from weft.analysis.predict.jobprofile import JobProfile, StageWork
from weft.analysis.predict.stations import Load
from weft.analysis.predict.target import Target
from weft.analysis.read.sums import sums
from weft.facts.roles import ROLES

LONG = 1.5
"""Times the median from which a task is one of the long ones of its stage."""
_SEED = 20_240_229
"""The same job always gets the same order of long and short tasks."""


@dataclass(frozen=True)
class StageForecast:
    """One stage. Seconds are of all its tasks together, except `seconds`."""

    key: Stage
    name: str
    tasks: int
    blocks: float
    seconds: float
    """From its first task to its last."""
    parts: Mapping[str, float]
    files: Mapping[str, float]
    """By role: in calls on its files and at what serves them, with queues."""
    busy: Mapping[str, float]
    """By service: the least time that it needs for the stage."""
    free: float
    """Seconds of the stage if no service had a limit, and all its tasks were as long as their mean."""


@dataclass(frozen=True)
class Forecast:
    """A job at one target."""

    nodes: int
    slots: int
    seconds: float
    """Of the result: what the program measures as its own time."""
    stages: Sequence[StageForecast]
    driver: float
    """Of it: the driver alone."""

    @property
    def node_hours(self) -> float:
        return self.nodes * self.seconds / 3600

    @property
    def waiting(self) -> float:
        """The share of slot time that is paid for empty slots and for queues."""
        used = sum(sum(stage.parts.values()) for stage in self.stages)
        return float(np.clip(1 - used / max(self.slots * self.seconds, 1e-9), 0, 1))

    def busy(self) -> dict[str, float]:
        """By service: the least time that it needs for the whole job."""
        return sums(item for stage in self.stages for item in stage.busy.items())

    @property
    def free(self) -> float:
        """Seconds of the job's stages if no service had a limit."""
        return sum(stage.free for stage in self.stages)


@dataclass
class Model:
    """A job's work with its corrections, ready to be asked for many targets."""

    work: JobProfile
    measured: Target
    """Where the work was measured, on the machine as far as it is known."""
    anchors: Mapping[Stage, Anchors] = field(default_factory=dict)
    replayed: float = 0.0
    """Seconds of the run itself by its tasks and queues alone."""

    def __post_init__(self) -> None:
        background = demand.background_of(self.work, self.measured)
        self.anchors = {
            stage.key: demand.fit_to_run(stage, self.work, self.measured, background)
            for stage in self.work.stages
        }
        self.replayed = self._raw(self.measured, queues=True).seconds

    def at(self, target: Target, *, queues: bool = True) -> Forecast:
        """The job there; without `queues` only its bounds, which is fast."""
        found = self._raw(target, queues=queues)
        rest = self.work.measured - self.replayed
        # gaps that the replay does not know, such as waits for locality, are as they were
        seconds = found.seconds + rest if rest > 0 else found.seconds * self.work.measured / self.replayed
        return replace(found, seconds=seconds)

    def _raw(self, target: Target, *, queues: bool) -> Forecast:
        steps, found = {}, []
        background = demand.background_of(self.work, target)
        for stage in self.work.stages:
            needs = demand.of_stage(stage, self.work, target, self.anchors[stage.key], background)
            load = needs.load(target.slots) if queues else Load(0.0, needs.alone, {})
            steps[stage.key] = Step(
                _durations(stage, needs, load, self.work.slots, target), stage.after, stage.lag
            )
            found.append((needs, load))
        seconds, ends = _schedule(steps, target.slots, found) if queues else (0.0, [0.0] * len(found))
        driver = sum(step.lag for step in steps.values()) + self.work.after
        outside = self.work.outside
        stages = [
            _stage(needs, load, each, target.slots) for (needs, load), each in zip(found, ends, strict=True)
        ]
        whole = max(seconds + self.work.after - outside, 1e-3)
        return Forecast(target.nodes, target.slots, whole, stages, max(0.0, driver - outside))

    def replay(self) -> float:
        """The run itself, by its tasks and queues alone, over what it took."""
        return self.replayed / max(self.work.measured, 1e-9)


def _stage(needs: Demand, load: Load, seconds: float, slots: int) -> StageForecast:
    count = needs.scaled.tasks
    services = {s.name: s.demand * count for s in needs.stations if not s.hidden}
    return StageForecast(
        needs.stage.key,
        needs.stage.name,
        count,
        needs.scaled.blocks,
        seconds,
        {
            name: each * count
            for name, each in {**needs.parts, **{n: s / count for n, s in services.items()}}.items()
        },
        {role: needs.in_files(role, load) * count for role in ROLES},
        {s.name: count / s.limit for s in needs.stations},
        (needs.alone + needs.stage.gap) * max(count / slots, 1.0),
    )


def _durations(stage: StageWork, needs: Demand, load: Load, slots: int, target: Target) -> list[float]:
    """Each task's time: the mean by the model, spread as it was; what starts on a cold slot as what did so then."""
    shape = np.asarray(stage.tasks) / stage.mean
    cold, warm = shape[:slots], shape[slots:]
    count = needs.scaled.tasks
    first = min(count, target.slots)
    spread = np.concatenate([_resampled(cold, first), _resampled(warm if len(warm) else cold, count - first)])
    found: list[float] = (spread / spread.mean() * load.response + stage.gap).tolist()
    return (
        _with_long_tasks([seconds + stage.gap for seconds in stage.tasks], found)
        if target.whole and stage.reads_shuffle
        else found
    )


def _with_long_tasks(was: Sequence[float], now: Sequence[float]) -> list[float]:
    """The same time in all, with the long tasks as long as they were."""
    long = [seconds for seconds in was if seconds > LONG * median(was)]
    others = len(now) - len(long)
    if others <= 0:
        return list(now)
    return [*long, *[max(sum(now) - sum(long), 0.0) / others] * others]


def _resampled(shape: Numbers, count: int) -> Numbers:
    """As many values with the same distribution, in an order that is always the same."""
    if count == len(shape):
        return shape
    values: Numbers = np.quantile(shape, (np.arange(count) + 0.5) / max(count, 1)) if count else np.zeros(0)
    return np.random.default_rng(_SEED).permutation(values)


def _schedule(
    steps: Mapping[Stage, Step], slots: int, found: Sequence[tuple[Demand, Load]]
) -> tuple[float, list[float]]:
    """Seconds of the job until its last task, and of each stage; no stage is faster than its busiest service."""
    least = [max((needs.scaled.tasks / s.limit for s in needs.stations), default=0.0) for needs, _ in found]
    alone = [max(_makespan(step.tasks, slots), low) for step, low in zip(steps.values(), least, strict=True)]
    if _chained(steps):
        return sum(alone) + sum(step.lag for step in steps.values()), alone
    return max(schedule.makespan(steps, slots), sum(least)), alone


def _chained(steps: Mapping[Stage, Step]) -> bool:
    """Whether each stage begins after the one before it."""
    keys = list(steps)
    return all(keys[index - 1] in steps[key].after for index, key in enumerate(keys) if index)


def _makespan(tasks: Sequence[float], slots: int) -> float:
    """Seconds until the last task ends if a free slot takes the next one."""
    free = list(tasks[:slots])
    heapq.heapify(free)
    for seconds in tasks[slots:]:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free, default=0.0)
