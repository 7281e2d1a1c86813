"""Where the slot time of a run went: exclusive parts whose sum is slots x wall time, and the possible gain from each."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars

from weft.analysis.explain import balance, evidence, slots, tasktime
from weft.analysis.explain.balance import Balance
from weft.analysis.explain.bounds import Bounds
from weft.analysis.explain.evidence import Evidence, Window
from weft.analysis.explain.filepart import FilePart, of_calls
from weft.analysis.explain.pythontime import Worker
from weft.analysis.explain.slots import Stage
from weft.analysis.explain.spread import Indexes, Numbers
from weft.analysis.explain.tasktime import (
    CPU,
    FAILED,
    GC,
    PYTHON_START,
    PYTHON_WORKER,
    SHUFFLE_WRITE,
    UNCLASSIFIED,
    WAITING,
    StageTasks,
)
from weft.analysis.explain.timeparts import Covered, CrossCheck, Operation, StageTime, TimePart
from weft.analysis.read.sums import sums
from weft.facts.jobmetrics import JobMetrics
from weft.facts.threadkinds import PYTHON

MOST_UNCLASSIFIED = 0.1
"""Share of unattributed slot time above which there is no verdict."""
MOST_UNKNOWN = 0.5
"""The same of the job's own slot time: a long start is no reason to say what took the rest."""
LEAST_OVERLAPPED = 0.01
"""Seconds of file calls for which no task waited, as a share of slot time, from which they are listed."""
PYTHON_WORKERS = "Python workers"
"""What is missing where tasks waited for some that nobody watched."""
_GIVEN = frozenset({slots.START, CPU, UNCLASSIFIED})
"""Parts without which there is no job, or of which nothing is known: they have no bound."""
_MOMENT = 1e-6
"""Seconds that rounding leaves."""


@dataclass(frozen=True)
class Attribution:
    """The result."""

    wall: float
    slots: int
    """The most at one time."""
    slot_time: float
    """Seconds of all slots that there were."""
    start: float
    """Seconds before the first task."""
    unasked: float
    """Of them: there were executors, and the program had submitted no job."""
    parts: Sequence[TimePart]
    stages: Mapping[Stage, StageTime]
    """Those first that took most."""
    coverage: Covered
    evidence: Evidence
    """What it is based on."""
    bounds: Bounds
    doubt: str
    """Why its measurements do not fit together; empty if they do."""

    @property
    def unclassified(self) -> float:
        """Share of unattributed slot time."""
        return sum(part.share for part in self.parts if part.name == UNCLASSIFIED)

    @property
    def unknown(self) -> float:
        """The same of the job's own, without the application's start."""
        own = sum(part.seconds for part in self.parts if part.name != slots.START)
        return self.unclassified * self.slot_time / own if own else 0.0

    @property
    def verdict(self) -> bool:
        """Whether enough is known for one, and nothing twice."""
        named = self.unclassified <= MOST_UNCLASSIFIED and self.unknown <= MOST_UNKNOWN
        return named and not self.doubt


def attribute(
    metrics: JobMetrics, samples: polars.DataFrame, window: Window, workers: Sequence[Worker] = ()
) -> Attribution | None:
    """Split the window's slot time; None where the engine left no job metrics there, or none of a task that took any time.

    `workers`: what Python workers wrote."""
    found = evidence.gather(metrics, samples, window, workers)
    if window.slots <= 0 or window.end <= window.begin or not any(found.use.held):
        return None
    known = {stage: measured(found, found.succeeded(mine)) for stage, mine in found.where.items()}
    of_stages = _stages(found, known)
    empty = sums((reason, seconds) for (reason, _), seconds in found.use.empty.items())
    whole = tasktime.total([*of_stages.values(), empty])
    wall, slot_time = window.end - window.begin, found.use.whole
    first = float(found.tasks["begin"].to_numpy().min())
    bounds = Bounds.of(found, metrics.stages, window)
    shares = {
        stage: {name: seconds / (sum(each.values()) or 1.0) for name, seconds in each.items()}
        for stage, each in of_stages.items()
    }
    times = {name: bounds.without(name, shares) for name in whole.keys() - _GIVEN}
    files = _file_parts(found)
    parts = [
        TimePart(name=name, on=files.get(name), seconds=seconds, share=seconds / slot_time, bound=times.get(name),
                 resource=_resource(found, name, seconds), operations=_operations(found, name, None))
        for name, seconds in sorted(whole.items(), key=lambda item: -item[1])
    ]  # fmt: skip
    parts += _overlapped(found, whole, slot_time)
    balances = {stage: tasktime.balance(tasks) for stage, tasks in known.items()}
    rows = _rows(found, metrics, of_stages, balances, slot_time)
    return Attribution(
        wall,
        found.slots,
        slot_time,
        max(0.0, first - window.begin),
        _unasked(metrics, window.begin, first),
        parts,
        rows,
        _coverage(found, metrics, bounds.replay),
        found,
        bounds,
        balance.doubt([(label(*stage[1:]), each) for stage, each in balances.items()], slot_time),
    )


def _unasked(metrics: JobMetrics, begin: float, first: float) -> float:
    """Seconds from `begin` to the first task in which there were executors, and no job was submitted."""
    there, asked = metrics.executors["added"].drop_nulls(), metrics.jobs["begin"].drop_nulls()
    if there.is_empty() or asked.is_empty():
        return 0.0
    return max(0.0, float(min([first, *asked])) - max(begin, float(min(there))))


def _stages(found: Evidence, known: Mapping[Stage, StageTasks]) -> dict[Stage, dict[str, float]]:
    """By stage: the parts of the time that its tasks held slots."""
    held = np.asarray(found.use.held)
    parts = {}
    for stage, mine in found.where.items():
        parts[stage] = tasktime.parts(known[stage])
        if (lost := float(held[mine].sum()) - known[stage].held) > _MOMENT:
            parts[stage][FAILED] = lost
    return parts


def measured(found: Evidence, mine: Indexes) -> StageTasks:
    """What is known of some tasks together."""

    def add(values: Numbers | None) -> float | None:
        return None if values is None else float(values[mine].sum())

    used = [values for values in map(add, found.cpu) if values is not None]
    sampled_calls = {name: float(values[mine].sum()) for name, values in found.sampled_calls.items()}
    files = sums((str(each.part), float(each.seconds[mine].sum())) for each in found.files.operations)
    # looks that saw no file call saw that nobody was blocked in one
    seen = sum(sampled_calls.values()) if sampled_calls or found.blocked else None
    if not found.files.counted:
        files = evidence.unplaced(sampled_calls)
        if seen is None and (written := add(found.seconds("shuffle_write_ms", 1e-3))):
            files = {SHUFFLE_WRITE: written}
    # what other threads did on the same files is in there too, so that only samples distinguish the tasks' own
    system = add(found.system) or 0.0 if found.files.by_thread or seen is None else sum(files.values())
    return StageTasks(
        held=float(np.asarray(found.use.held)[mine].sum()),
        lasted=float(found.lasted[mine].sum()),
        scheduling=add(found.seconds("scheduler_ms", 1e-3)) or 0.0,
        cpu=sum(used) if used else None,
        waiting=add(found.waiting),
        stolen=add(found.stolen) or 0.0,
        gc=add(found.gc) or 0.0,
        fetch=add(found.fetch.waited) or 0.0,
        fetching={name: float(values[mine].sum()) for name, values in found.fetch.by.items()},
        inputs=add(found.fetch.inputs) or 0.0,
        # where threads were not counted apart, the calls of the thread that spills are among the tasks' own
        spill=0.0 if files and not found.files.by_thread else add(found.seconds("spill_ms", 1e-3)) or 0.0,
        codec=add(found.seconds("codec_ms", 1e-3)) or 0.0,
        remote=_remote(found, mine),
        files=files,
        blocked_in_files=seen,
        system=system,
        served={name: float(values[mine].sum()) for name, values in found.served.items()},
        wire=add(found.wire) or 0.0,
        python={name: float(values[mine].sum()) for name, values in found.python.items()},
        python_files=sums(
            (str(each.part), float(each.seconds[mine].sum()))
            for each in found.files.of_workers
            if each.part.files != PYTHON
        ),
        seen={name: float(values[mine].sum()) for name, values in found.blocked.items()},
    )


def _remote(found: Evidence, mine: Indexes) -> bool:
    """Whether blocks came from another node: not where there is none, nor where the engine counted those of the own node alone."""
    if found.nodes < 2:
        return False
    tasks = found.tasks[mine]
    apart = tasks["remote_bytes"].count() > 0
    return not apart or bool(tasks["remote_bytes"].sum()) or not tasks["local_bytes"].sum()


def _overlapped(found: Evidence, whole: Mapping[str, float], slot_time: float) -> list[TimePart]:
    """File calls that took long and for which no task waited."""
    return [
        TimePart(name=str(part), on=part, share=0.0, seconds=0.0, resource=seconds, bound=1.0)
        for part, seconds in sorted(found.files.in_all.items(), key=lambda item: str(item[0]))
        if str(part) not in whole and seconds >= LEAST_OVERLAPPED * slot_time
    ]


def _resource(found: Evidence, name: str, seconds: float) -> float:
    if name == GC:
        return max(seconds, found.background.get("collector", 0.0))
    if name in found.python and name != WAITING:
        return max(seconds, float(found.python[name].sum()))
    timed = sum(float(each.seconds.sum()) for each in found.files.operations if str(each.part) == name)
    ran = sum(each for part, each in found.files.in_all.items() if str(part) == name)
    return max(seconds, timed, ran)


def _file_parts(found: Evidence) -> dict[str, FilePart]:
    """By name: those of the parts that are file calls."""
    unplaced = (
        of_calls(files, data=data) for files in (evidence.UNPLACED, "scratch") for data in (False, True)
    )
    made = (*found.files.operations, *found.files.of_workers)
    every = [*(each.part for each in made), *found.files.in_all, *unplaced]
    return {str(part): part for part in every}


def _operations(found: Evidence, part: str, mine: Indexes | None) -> tuple[Operation, ...]:
    every = np.arange(len(found.stages)) if mine is None else mine
    made = [each for each in (*found.files.operations, *found.files.of_workers) if _belongs(each.part, part)]
    rows = [
        Operation(
            name=name,
            seconds=sum(float(each.seconds[every].sum()) for each in mine_of),
            calls=sum(float(each.calls[every].sum()) for each in mine_of),
            files=mine_of[0].part.files,
        )
        for name in dict.fromkeys(each.name for each in made)
        if (mine_of := [each for each in made if each.name == name])
    ]
    return tuple(sorted((row for row in rows if row.seconds > 0), key=lambda row: -row.seconds))


def _belongs(made: FilePart, part: str) -> bool:
    """Whether file calls are shown at a part: those on modules of Python at imports."""
    return str(made) == part or (part == PYTHON_START and made.files == PYTHON)


def _rows(
    found: Evidence,
    metrics: JobMetrics,
    of_stages: Mapping[Stage, Mapping[str, float]],
    balances: Mapping[Stage, Balance],
    whole: float,
) -> dict[Stage, StageTime]:
    named = metrics.stages.select("app", "stage", "attempt", "name").iter_rows()
    names = {(app, stage, attempt): name or "" for app, stage, attempt, name in named}
    empty: dict[Stage, dict[str, float]] = defaultdict(dict)
    for (reason, stage), seconds in found.use.empty.items():
        if stage is not None:
            empty[stage][reason] = seconds
    rows = {}
    for stage, parts in of_stages.items():
        mine = found.where[stage]
        both = tasktime.total([parts, empty.get(stage, {})])
        # imports are more than the file calls that are shown with them
        operations = {name: _operations(found, name, mine) for name in both if name != PYTHON_START}
        seconds = sum(both.values())
        rows[stage] = StageTime(
            stage=label(*stage[1:]),
            name=names.get(stage, ""),
            side=_side(found, mine),
            seconds=seconds,
            share=seconds / whole,
            parts=dict(sorted(both.items(), key=lambda item: -item[1])),
            operations={name: each for name, each in operations.items() if each},
            balance=balances[stage],
        )
    return dict(sorted(rows.items(), key=lambda row: -row[1].seconds))


def label(stage: int, attempt: int) -> str:
    """Of a stage: its number, and try if it is not the first."""
    return f"{stage}" if not attempt else f"{stage}, try {attempt + 1}"


def _side(found: Evidence, mine: Indexes) -> str:
    tasks = found.tasks[mine]
    writes = bool((tasks["shuffle_write_bytes"] > 0).any())
    reads = bool((tasks["remote_bytes"] > 0).any() or (tasks["local_bytes"] > 0).any())
    return {(True, True): "both sides", (True, False): "map side", (False, True): "read side"}.get(
        (writes, reads), "no shuffle"
    )


def _coverage(found: Evidence, metrics: JobMetrics, replay: float) -> Covered:
    missing = {}
    if found.waiting is None:
        missing["threads"] = f"{WAITING}, and what tasks were blocked in: --probe threads"
    if not found.files.counted:
        missing["fileops"] = "which files were waited for: --probe fileops"
    elif not found.files.by_thread:
        missing["fileops by thread"] = "file calls of servers and of tasks were not counted apart"
    if not found.cpu:
        missing["CPU time of tasks"] = f"{CPU}: the engine does not say it"
    elif found.of_process:
        missing["CPU time of tasks"] = f"{CPU} is that of their whole processes, with JIT and GC"
    if found.gc is None:
        missing[GC] = "the engine does not say it; it is counted as something else: --probe pauses"
    if found.fetch.waited is None:
        missing["waiting for blocks"] = "network: the engine does not say it"
    elif found.fetch.started:
        missing["waiting for blocks"] = (
            "network of tasks whose JVM started meanwhile, which the engine does not time"
        )
    if found.workers is None and PYTHON_WORKER in found.blocked:
        missing[PYTHON_WORKERS] = "what they did while their tasks waited for them: --probe python"
    return Covered(
        tasks=found.tasks.height,
        processes_ran=metrics.executors.height,
        processes_seen=found.seen,
        missing=missing,
        cross_check=_cross_check(found),
        python=found.workers,
        replay=replay,
        lost=tuple(metrics.gaps),
    )


def _cross_check(found: Evidence) -> CrossCheck | None:
    if not (found.sampled_calls and found.files.by_thread):
        return None
    seen = sum(float(values.sum()) for values in found.sampled_calls.values())
    timed = sum(float(each.seconds.sum()) for each in found.files.operations)
    waiting = float(found.waiting.sum()) if found.waiting is not None else 0.0
    system = float(found.system.sum()) if found.system is not None else 0.0
    total = float(sum(found.use.held))
    runnable = min(timed, waiting + system)
    agree = tasktime.agree(timed, seen, runnable, max(1, round(total / 0.05)), total)
    return CrossCheck(timed=timed, seen=seen, runnable=runnable, agree=agree)
