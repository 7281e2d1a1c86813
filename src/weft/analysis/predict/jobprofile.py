"""What a measured job did, stage by stage: what each task computed, asked of files and sent, apart from where it ran.

The class of a job is from these parts and not from its name: what its slots spent most time on.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import polars

from weft.analysis.explain import attribution, filetime, schedule, slots, spread
from weft.analysis.explain.evidence import Evidence, Window
from weft.analysis.explain.filepart import FilePart
from weft.analysis.explain.schedule import Step
from weft.analysis.explain.slots import Stage
from weft.analysis.explain.spread import Indexes
from weft.analysis.explain.tasktime import CPU, GC, NETWORK, WAITING
from weft.analysis.explain.timeparts import StageTime
from weft.analysis.predict.constants import VALUE
from weft.analysis.read.sums import sums
from weft.errors import UsageError
from weft.facts import engines
from weft.facts.jobmetrics import JobMetrics
from weft.facts.roles import ROLES
from weft.facts.storages import layers
from weft.facts.threadkinds import FETCH

WARM_UP = VALUE["warm_up_share"]
"""Usual share of what short jobs compute that each slot needs again whatever its tasks."""
_OF_TASK = 0.8
"""Share of a task that its start may be: a task does something with its data, too."""


@dataclass(frozen=True)
class CallsPerTask:
    """File calls of one kind by the tasks of a stage, per task."""

    role: str
    """input, output or scratch."""
    operation: str
    count: float
    seconds: float
    """Blocked in them, exclusive of other parts."""
    served: bool = False
    """By threads that serve blocks to other executors, while tasks wait or work on."""

    @property
    def data(self) -> bool:
        return self.operation in filetime.DATA

    @property
    def part(self) -> FilePart:
        return filetime.part(self.role, self.operation)


@dataclass(frozen=True)
class StageWork:
    """One stage. Times are seconds of one task, counts and bytes are of one task, all means."""

    key: Stage
    name: str
    tasks: Sequence[float]
    """Seconds that each task held a slot, in the order of their start."""
    after: frozenset[Stage] = frozenset()
    lag: float = 0.0
    """Seconds of the driver alone before it."""
    reads_shuffle: bool = False
    writes_shuffle: bool = False
    cpu: float = 0.0
    fixed: float = 0.0
    """Of `CPU`: whatever the task's data: receiving and decoding the task itself, and starting its JVM if it has one."""
    compression: float = 0.0
    """Of `CPU`: compressing and decompressing what is shuffled; 0: stacks were not sampled."""
    waiting: float = 0.0
    """For a processor."""
    gc: float = 0.0
    network: float = 0.0
    scheduling: float = 0.0
    gap: float = 0.0
    """Seconds that a slot was empty before each task, which was ready: the driver had not launched it yet."""
    other: float = 0.0
    """Without a name, failed, or in files that no storage is chosen for."""
    calls: Sequence[CallsPerTask] = ()
    blocks: float = 0.0
    """Shuffle blocks read."""
    held: float | None = None
    """Bytes that the task with most of them sorted and grouped in memory; None: the engine does not say."""
    spilled: float = 0.0
    """Bytes that had no room there."""
    cached: float = 0.0
    """Bytes read of what an earlier stage cached in memory."""
    bytes: Mapping[str, float] = field(default_factory=dict)
    """read and written by role, such as `scratch read`; `remote` through the network."""

    @property
    def count(self) -> int:
        return len(self.tasks)

    @property
    def mean(self) -> float:
        """Seconds of a task."""
        return sum(self.tasks) / len(self.tasks)

    def cold(self, slots: int) -> float:
        """The share of its time that the first tasks of so many slots took beyond the others."""
        first, others = self.tasks[:slots], self.tasks[slots:]
        if not others:
            return 0.0
        beyond = sum(first) / len(first) - sum(others) / len(others)
        return max(0.0, beyond * len(first) / sum(self.tasks))

    @property
    def side(self) -> str:
        """Of the shuffle, as stacks show it: a task that writes blocks is of the map side, whatever it reads."""
        return "map" if self.writes_shuffle else "reduce"


class Neighbours(NamedTuple):
    """The stages before and after one."""

    before: Sequence[StageWork]
    """Whose shuffle files it reads."""
    behind: Sequence[StageWork]
    """Which read its own."""


@dataclass(frozen=True)
class JobProfile:
    """A job, and where it was measured."""

    stages: Sequence[StageWork]
    engine: str
    nodes: int
    slots: int
    wall: float
    """Seconds of the run phase."""
    outside: float
    """Seconds of it before and after what the program measures as its own time."""
    after: float
    """Seconds of the driver after the last task."""
    storages: Mapping[str, str]
    """By role: input, output, scratch."""
    size: float = 0.0
    """How much data the workload was asked for, in the unit of its key, such as bytes; 0: not known."""
    size_key: str = "size"
    """The workload's key for it."""
    background: float = 0.0
    """Processor seconds of threads beside the tasks, while there were any, over those of the tasks."""
    emulator: float = 0.0
    """Processor seconds of the emulated file system's daemon for each file call; 0: not measured."""
    warm_up: float = 0.0
    """Share of the first CPU seconds of a slot in a stage that it needs whatever its tasks: classes that are loaded, and code
    that runs before it is compiled. A stage whose first tasks took more than the others shows its own."""
    jvm_a_task: bool = False
    """Whether each task has a JVM of its own; otherwise the tasks of a node share one."""
    memory: float = 0.0
    """Bytes in which the tasks of an executor sort and group, or one task where each has its own; 0: not known."""
    computed: bool = True
    """Whether the CPU time of its tasks is known."""
    missing: Sequence[str] = ()
    """What was not measured, and what therefore is not predicted."""

    @property
    def measured(self) -> float:
        """Seconds of the result."""
        return self.wall - self.outside

    @cached_property
    def neighbours(self) -> Mapping[Stage, Neighbours]:
        """By stage: those that it exchanges shuffle data with."""
        known = {stage.key: stage for stage in self.stages}
        read: dict[Stage, list[StageWork]] = {stage.key: [] for stage in self.stages}
        for stage in self.stages:
            for key in stage.after & known.keys() if stage.reads_shuffle else ():
                read[key].append(stage)
        return {
            stage.key: Neighbours(
                [known[key] for key in stage.after if key in known and known[key].writes_shuffle],
                read[stage.key],
            )
            for stage in self.stages
        }


def of_record(
    metrics: JobMetrics,
    samples: polars.DataFrame,
    window: Window,
    *,
    engine: str,
    measured: float | None,
    storages: Mapping[str, str],
    size: float = 0.0,
    size_key: str = "size",
    python: bool = False,
) -> JobProfile:
    """The work of a run; `python`: its Python workers were watched. Raises UsageError where the record lacks what the model needs."""
    found = attribution.attribute(metrics, samples, window)
    if found is None:
        raise UsageError(
            "the engine left no job metrics in the run phase: there are no tasks to predict from",
            hint=f"{engines.without_logs()} leave none; with another engine, run it again with --probe engine --probe fileops",
        )
    seen = found.evidence
    plan = schedule.steps(list(zip(seen.stages, seen.use.held, strict=True)), metrics.stages, window.begin)
    if not plan:
        raise UsageError("the engine's job metrics name no stage that ran", hint="predict from another run")
    remote = float(seen.tasks["remote_blocks"].fill_null(0).sum()) or 1.0
    served = {name: count / remote for name, count in _served(samples).items()}
    kept = metrics.stages.filter("reads_cache").iter_rows(named=True)
    cached = {schedule.key_of(row) for row in kept}
    stages = [_stage(seen, key, found.stages[key], step, served, cached) for key, step in plan.items()]
    if not any(stage.held for stage in stages):
        stages = [replace(stage, held=None) for stage in stages]
    alone = engines.of(engine).jvm_a_task
    if alone:
        stages = [
            replace(each, fixed=max(each.fixed, min(VALUE["jvm_start"], _OF_TASK * each.cpu)))
            for each in stages
        ]
    last = float(max(row["end"] or window.begin for row in metrics.stages.iter_rows(named=True)))
    wall = window.end - window.begin
    own = measured if measured and measured < wall else wall
    cpu = sum(stage.cpu * stage.count for stage in stages)
    after = max(0.0, min(window.end - last, wall))
    return JobProfile(
        stages=_of_result(stages, metrics, window.begin, last - own + after / 2),
        engine=engine,
        nodes=len(set(window.nodes.values())) or 1,
        slots=found.slots,
        wall=wall,
        outside=wall - own,
        after=after,
        storages=dict(storages),
        size=size,
        size_key=size_key,
        background=sum(seen.meanwhile.values()) / cpu if cpu else 0.0,
        emulator=_emulator(samples, window, stages, storages),
        warm_up=0.0 if alone else WARM_UP,
        jvm_a_task=alone,
        computed=bool(found.evidence.cpu),
        missing=found.coverage.unmeasured(but={attribution.PYTHON_WORKERS} if python else ()),
    )


def _of_result(
    stages: Sequence[StageWork], metrics: JobMetrics, first: float, begin: float
) -> list[StageWork]:
    """Those that run within the time that the result is; what a program did with the engine before, such as making its input, is as
    it was: part of the time until the first of them."""
    spans = {schedule.key_of(row): (row["begin"], row["end"]) for row in metrics.stages.iter_rows(named=True)}
    before = {key for key, (_, end) in spans.items() if end is not None and end <= begin} - {stages[-1].key}
    found = []
    for each in stages:
        after = each.after - before
        waited = each.lag if after or not each.after else (spans[each.key][0] or first) - first
        if each.key not in before:
            found.append(replace(each, after=after, lag=max(0.0, waited)))
    return found


def _stage(
    evidence: Evidence,
    key: Stage,
    row: StageTime,
    step: Step,
    served: Mapping[str, float],
    cached: Collection[Stage],
) -> StageWork:
    mine = evidence.where[key]
    rows = evidence.tasks[mine]
    count = len(step.tasks)
    order = rows["begin"].to_numpy().argsort(kind="stable")
    held = [float(evidence.use.held[mine[index]]) for index in order]

    def mean(*columns: str) -> float:
        return sum(float(rows[column].fill_null(0).sum()) for column in columns) / count

    parts = {name: seconds / count for name, seconds in row.parts.items() if name not in slots.EMPTY}
    remote = mean("remote_blocks")
    of_servers = (
        CallsPerTask("scratch", name, calls * remote, 0.0, served=True) for name, calls in served.items()
    )
    calls = [*_calls(evidence, mine, parts, count), *(of_servers if remote else ())]
    named = {CPU, WAITING, GC, NETWORK}
    filed = sum(each.seconds for each in calls)
    # scheduling on the way to the executor has the name of an empty slot's reason
    held_mean = sum(step.tasks) / count
    scheduling = min(mean("scheduler_ms") / 1e3, held_mean)
    most = rows["held_bytes"].max()
    inputs = mean("input_bytes")
    rest = held_mean - scheduling - filed - sum(parts.get(name, 0.0) for name in named)
    return StageWork(
        key=key,
        name=row.name,
        tasks=[seconds for seconds in held if seconds > 0],
        after=step.after,
        lag=step.lag,
        reads_shuffle=row.side in {"read side", "both sides"},
        writes_shuffle=row.side in {"map side", "both sides"},
        cpu=parts.get(CPU, 0.0),
        fixed=min(mean("deserialize_cpu_ns") / 1e9, parts.get(CPU, 0.0)),
        waiting=parts.get(WAITING, 0.0),
        gc=parts.get(GC, 0.0),
        network=parts.get(NETWORK, 0.0),
        scheduling=scheduling,
        gap=evidence.use.ready(key) / count,
        other=max(0.0, rest),
        calls=calls,
        blocks=mean("local_blocks", "remote_blocks"),
        held=float(most) if isinstance(most, int) else None,
        spilled=mean("disk_spill_bytes"),
        cached=inputs if key in cached else 0.0,
        bytes={
            "scratch read": mean("local_bytes", "remote_bytes"),
            "scratch written": mean("shuffle_write_bytes", "disk_spill_bytes"),
            "input read": 0.0 if key in cached else inputs,
            "output written": mean("output_bytes"),
            "remote": mean("remote_bytes"),
        },
    )


def _calls(evidence: Evidence, mine: Indexes, parts: Mapping[str, float], count: int) -> list[CallsPerTask]:
    """The calls of task threads: each has its share of what is its part's alone, which is nothing where they never blocked."""
    made = [each for each in evidence.files.operations if each.part.files in ROLES]
    timed = sums((str(each.part), float(each.seconds[mine].sum())) for each in made)
    found = []
    for each in made:
        calls, seconds, part = float(each.calls[mine].sum()), float(each.seconds[mine].sum()), str(each.part)
        if calls:
            alone = parts.get(part, 0.0) * seconds / timed[part] if timed[part] else 0.0
            found.append(CallsPerTask(each.part.files, each.name, calls / count, alone))
    return found


def _emulator(
    samples: polars.DataFrame, window: Window, stages: Sequence[StageWork], storages: Mapping[str, str]
) -> float:
    """Processor seconds of latencyfs in the run phase, over the calls on the file systems that it emulates."""
    roles = {role for role, label in storages.items() if layers(label)[0].known.emulated}
    calls = sum(stage.count * each.count for stage in stages for each in stage.calls if each.role in roles)
    used = samples.filter(
        polars.col("process").str.starts_with("latencyfs/")
        & polars.col("counter").is_in(["cpu_user", "cpu_system"])
        & polars.col("t").is_between(window.begin - 1, window.end + 1)
    )
    grown = used.group_by("process", "counter").agg(polars.col("value").max() - polars.col("value").min())
    return float(grown["value"].sum()) / calls if calls else 0.0


def _served(samples: polars.DataFrame) -> dict[str, float]:
    """By operation: calls on scratch files by threads that serve blocks."""
    return sums(
        (measure.operation, float(counter.values[-1] - counter.values[0]))
        for (_, measure), counter in spread.of_nodes(samples, "threadops.").items()
        if measure[0] == "threadops.count" and measure[1] in {"server", FETCH} and measure[2] == "scratch"
    )


Class = Literal["CPU-bound", "data-intensive", "metadata-intensive", "start-bound"]


def class_shares(work: JobProfile) -> Mapping[Class, float]:
    """The share of the run phase's slot time that each class is named after; the rest is waiting and empty slots.

    Nothing where no CPU time was measured, which may be all that its tasks did.
    """
    if not work.computed or not any(stage.cpu for stage in work.stages):
        return {}
    whole = work.slots * work.wall
    tasks = {"CPU-bound": 0.0, "data-intensive": 0.0, "metadata-intensive": 0.0}
    for stage in work.stages:
        tasks["CPU-bound"] += stage.count * (stage.cpu + stage.gc)
        tasks["data-intensive"] += stage.count * stage.network
        for call in stage.calls:
            tasks["data-intensive" if call.data else "metadata-intensive"] += stage.count * call.seconds
    # while one stage waits for the driver, another may run
    idle = whole - sum(sum(stage.tasks) for stage in work.stages)
    driver = min((work.after + sum(stage.lag for stage in work.stages)) * work.slots, max(0.0, idle))
    scheduling = sum(stage.count * stage.scheduling for stage in work.stages)
    return {
        "CPU-bound": tasks["CPU-bound"] / whole,
        "data-intensive": tasks["data-intensive"] / whole,
        "metadata-intensive": tasks["metadata-intensive"] / whole,
        "start-bound": (driver + scheduling) / whole,
    }


def job_class(work: JobProfile) -> Class | Literal[""]:
    """The class with the largest share; empty where that is not known."""
    found = class_shares(work)
    return max(found.items(), key=lambda item: item[1])[0] if found else ""
