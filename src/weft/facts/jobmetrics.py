"""An engine's own measurements of its jobs, in tables that all engines share: the meaning and unit of each column."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, field
from functools import reduce
from tempfile import TemporaryFile
from typing import Any
from weakref import finalize

import polars

APPLICATIONS = {
    "app": polars.String,
    "name": polars.String,
    "version": polars.String,
    "begin": polars.Float64,
    "end": polars.Float64,
    "dynamic": polars.Boolean,
    "most_cores": polars.Int64,
    "process_cpu": polars.Boolean,
    "stream": polars.Boolean,
    "input_ended": polars.Boolean,
    "failure": polars.String,
}
"""begin, end: seconds since the epoch, as all times below; null if the engine does not report it. dynamic: whether the engine gives it
executors and takes them away as it needs them. most_cores: how many it asked to be limited to; null without a limit. process_cpu: whether the CPU time of a task is that of its whole process, with JIT and GC. stream: whether a
job of it is a stream: all its operators run at once and hand rows on. input_ended: of a stream, whether it ended by itself, since its input
did, and nobody stopped it. Both are null if the engine does not say. failure: of the application itself, whatever became
of its jobs; empty or null without one."""

EXECUTORS = {
    "app": polars.String,
    "executor": polars.String,
    "host": polars.String,
    "cores": polars.Int64,
    "slots": polars.Int64,
    "added": polars.Float64,
    "removed": polars.Float64,
    "reason": polars.String,
}
"""slots: tasks that run in it at one time, where a task may take several cores; null where each takes one. reason: why it was removed, in
the engine's message."""

JOBS = {
    "app": polars.String,
    "job": polars.Int64,
    "begin": polars.Float64,
    "end": polars.Float64,
    "failure": polars.String,
}
"""failure: empty if the job succeeded, or if it was ended as jobs of its kind are, such as a stream that is stopped; null if it did not end."""

STAGES = {
    "app": polars.String,
    "stage": polars.Int64,
    "attempt": polars.Int64,
    "name": polars.String,
    "tasks": polars.Int64,
    "begin": polars.Float64,
    "end": polars.Float64,
    "failure": polars.String,
    "parents": polars.List(polars.Int64),
    "reads_cache": polars.Boolean,
}
"""parents: stages whose output it reads; null if the engine does not report them. reads_cache: whether what it reads as input is what an
earlier stage cached in memory; null if the engine does not say. tasks: number of tasks of the attempt. end: null if it did not end. failure: empty without one."""

QUERIES: Mapping[str, Any] = {
    "app": polars.String,
    "query": polars.Int64,
    "description": polars.String,
    "begin": polars.Float64,
    "end": polars.Float64,
    "failure": polars.String,
}
"""Queries of SQL. end: null if it did not end. failure: empty without one."""

OPERATORS: Mapping[str, Any] = {
    "app": polars.String,
    "query": polars.Int64,
    "operator": polars.Int64,
    "parent": polars.Int64,
    "name": polars.String,
    "kind": polars.String,
    "table": polars.String,
    "reused": polars.Boolean,
    "stages": polars.List(polars.Int64),
    "rows": polars.Int64,
    "bytes": polars.Int64,
    "files": polars.Int64,
    "partitions": polars.Int64,
    "read_partitions": polars.Int64,
    "skewed": polars.Int64,
    "spilled": polars.Int64,
    "seconds": polars.Float64,
}
"""Operators of the plans that ran. operator: position in the plan, its result first; parent: the one that reads its output. kind: scan,
exchange, broadcast, sort, aggregate, join, window, Python, write or other. table: what a scan reads. reused: its output was made by another one.
stages: in which its tasks ran. rows: that it put out. bytes: of files read or written, of blocks, or sent to Python workers. partitions: of an
exchange; read_partitions, skewed: into how many they were joined or split again for their reader. seconds: of tasks, by a timer of its own
work alone; null without one. Null also if it did not run."""

_DRIVER = "driver"
_FEW = polars.Categorical()
"""Texts of which a log of millions of tasks has few: each takes four bytes in a row."""

LOCALITY = polars.Enum(["PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"])
"""How near to its input a task ran, as Spark names it (TaskLocality.scala), in a byte."""

TASKS: Mapping[str, Any] = {
    "app": _FEW,
    "stage": polars.Int32,
    "attempt": polars.Int32,
    "task": polars.Int32,
    "index": polars.Int32,
    "retry": polars.Int32,
    "executor": _FEW,
    "host": _FEW,
    "speculative": polars.Boolean,
    "locality": LOCALITY,
    "ready": polars.Float64,
    "begin": polars.Float64,
    "end": polars.Float64,
    "ok": polars.Boolean,
    "reason": _FEW,
    "failure": _FEW,
    "run_ms": polars.Int64,
    "cpu_ns": polars.Int64,
    "deserialize_cpu_ns": polars.Int64,
    "scheduler_ms": polars.Int64,
    "gc_ms": polars.Int64,
    "fetch_wait_ms": polars.Int64,
    "input_wait_ms": polars.Int32,
    "remote_bytes": polars.Int64,
    "local_bytes": polars.Int64,
    "remote_blocks": polars.Int64,
    "local_blocks": polars.Int64,
    "shuffle_write_bytes": polars.Int64,
    "shuffle_write_ms": polars.Int32,
    "spill_ms": polars.Int32,
    "codec_ms": polars.Int32,
    "disk_spill_bytes": polars.Int64,
    "held_bytes": polars.Int64,
    "input_bytes": polars.Int64,
    "output_bytes": polars.Int64,
}
"""Only what the analysis reads: logs have millions of rows. index: partition's position in the stage. retry: which attempt at
it, from 0; null if the engine does not number them. reason: Success or the engine's name
for the failure; failure: its message. held_bytes: that it sorted and grouped in memory at most; null if the engine does not say. Units are in the names; a lost task has zeros, or null of what its log says of no task. locality: null if the engine does not say. input_wait_ms: from a task's begin until
the tasks had ended whose output it reads; fetch_wait_ms is then the time from there to the last fetch, whatever it did meanwhile. Without
fetch_wait_ms: the time for which it had nothing to read from tasks that run at the same time. ready:
when it could be sent to an executor; null if the engine only says so of its whole stage. spill_ms, codec_ms: outside of its own thread, while
it held a slot: for results to be read from scratch or written there, and for objects to be made of bytes or bytes of them."""

LOST_EXECUTOR = "ExecutorLostFailure"
"""The reason of a task whose executor was lost while it ran, as Spark names it."""
LOST_OUTPUT = "Resubmitted"
"""The reason of a task that had ended, and whose output was then lost with its executor."""

MOST, MOST_IDS, LATEST = 2**53, 2**31, 1e11
"""Numbers, numbers of stages and partitions, and times (of the year 5138) beyond which a log is damaged: sums of them would not be right."""


class TaskFiles:
    """The tasks of a large job, in files without names: nothing of them is left when the process ends, however it does."""

    def __init__(self) -> None:
        self.count = 0
        self.changes: list[Callable[[polars.LazyFrame], polars.LazyFrame]] = []
        self._paths: list[str] = []
        self.of: TaskFiles | None = None
        self._open = ExitStack()
        finalize(self, self._open.close)

    def add(self, tasks: polars.DataFrame) -> None:
        """Write a table of them."""
        file = self._open.enter_context(TemporaryFile())  # noqa: SIM115 - read until the table is
        self._paths.append(f"/proc/self/fd/{file.fileno()}")
        tasks.write_parquet(file, compression="lz4")
        file.flush()
        self.count += tasks.height

    def scan(self) -> polars.LazyFrame:
        """All of them, in the order in which they were added."""
        return reduce(
            lambda tasks, change: change(tasks), self.changes, polars.scan_parquet(self._paths, glob=False)
        )

    def changed(self, change: Callable[[polars.LazyFrame], polars.LazyFrame]) -> "TaskFiles":
        """The same files, whose tasks are changed as they are read."""
        found = copy(self)
        found.changes = [*self.changes, change]
        found.of = self  # whose end closes the files
        return found


@dataclass
class JobMetrics:
    """The tables of one or several engines; what an engine does not report is null."""

    applications: polars.DataFrame
    executors: polars.DataFrame
    jobs: polars.DataFrame
    stages: polars.DataFrame
    tasks: polars.DataFrame
    gaps: list[str] = field(default_factory=list)
    """What was not readable, as text."""
    files: Sequence[TaskFiles] = ()
    """Tasks that are not in memory."""
    queries: polars.DataFrame = field(default_factory=lambda: polars.DataFrame(schema=QUERIES))
    operators: polars.DataFrame = field(default_factory=lambda: polars.DataFrame(schema=OPERATORS))

    @property
    def every(self) -> polars.LazyFrame:
        """All tasks, wherever they are: for figures of a few columns."""
        return polars.concat([self.tasks.lazy(), *(file.scan() for file in self.files)])

    @property
    def count(self) -> int:
        """Number of tasks."""
        return self.tasks.height + sum(file.count for file in self.files)

    @property
    def in_driver(self) -> bool:
        """Whether all tasks ran in the process of the driver, which Spark lists as an executor of this name if the master is `local`."""
        return self.executors.height > 0 and bool((self.executors["executor"] == _DRIVER).all())

    @property
    def streams(self) -> bool:
        """Whether it has a stream, whatever ended it."""
        return bool(self.applications["stream"].any())

    @property
    def input_ended(self) -> bool | None:
        """Whether its streams ended by themselves; None if nobody knows of one whether somebody stopped it, and of none that somebody did."""
        found = self.applications.filter("stream")["input_ended"]
        return None if found.null_count() and found.all() else bool(found.all())


def fitting(schema: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are columns of a table. Raises ValueError for one that no engine writes there, such as text for a number."""
    found = {key: value for key, value in values.items() if key in schema}
    for key, value in found.items():
        if value is not None and not _FITS[schema[key]](value):
            raise ValueError(f"{key} is {str(value)[:40]!r}")
    return found


def _whole(value: Any, most: int = MOST) -> bool:
    return type(value) is int and -most < value < most


def _text(value: Any) -> bool:
    return isinstance(value, str)


_FITS: Mapping[Any, Callable[[Any], bool]] = {
    polars.Int64: _whole,
    polars.Int32: lambda value: _whole(value, MOST_IDS),
    polars.Float64: lambda value: type(value) in {int, float} and -LATEST < value < LATEST,
    polars.String: _text,
    _FEW: _text,
    polars.Boolean: lambda value: isinstance(value, bool),
    polars.List(polars.Int64): lambda value: isinstance(value, list) and all(map(_whole, value)),
}


def plausible() -> polars.Expr:
    """Whether the numbers of a row of TASKS, before they are cast to its types, are some that `fitting` would let through."""
    limits: dict[Any, float] = {polars.Int64: MOST, polars.Int32: MOST_IDS - 1, polars.Float64: LATEST}
    numbers = [(polars.col(key), limits[kind]) for key, kind in TASKS.items() if kind in limits]
    return polars.all_horizontal(
        column.is_between(-most, most).fill_null(value=True) for column, most in numbers
    )


def table(rows: Iterable[Mapping[str, Any]], schema: Mapping[str, Any]) -> polars.DataFrame:
    """Rows in the columns of a table; missing values are null. Raises ValueError if one does not fit its column."""
    return polars.DataFrame([{**dict.fromkeys(schema), **fitting(schema, row)} for row in rows], dict(schema))


def empty() -> JobMetrics:
    """The job metrics of an engine that left none."""
    return JobMetrics(
        table([], APPLICATIONS), table([], EXECUTORS), table([], JOBS), table([], STAGES), table([], TASKS)
    )


def joined(all_metrics: Sequence[JobMetrics]) -> JobMetrics:
    """Combined job metrics of several engines: applications have unique names."""
    if not all_metrics:
        return empty()
    if len(all_metrics) == 1:
        return all_metrics[0]
    return JobMetrics(
        **{
            name: polars.concat([getattr(metrics, name) for metrics in all_metrics])
            for name in ("applications", "executors", "jobs", "stages", "tasks", "queries", "operators")
        },
        gaps=[gap for metrics in all_metrics for gap in metrics.gaps],
        files=[file for metrics in all_metrics for file in metrics.files],
    )
