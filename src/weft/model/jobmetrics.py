"""An engine's own measurements of its jobs, in tables that all engines share: the meaning and unit of each column."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars

APPLICATIONS = {
    "app": polars.String,
    "name": polars.String,
    "version": polars.String,
    "begin": polars.Float64,
    "end": polars.Float64,
}
"""begin, end: seconds since the epoch, as all times below; null if the engine does not report it."""

EXECUTORS = {
    "app": polars.String,
    "executor": polars.String,
    "host": polars.String,
    "cores": polars.Int64,
    "added": polars.Float64,
    "removed": polars.Float64,
    "reason": polars.String,
}
"""reason: why it was removed, in the engine's message."""

JOBS = {
    "app": polars.String,
    "job": polars.Int64,
    "begin": polars.Float64,
    "end": polars.Float64,
    "failure": polars.String,
}
"""failure: empty if the job succeeded; null if it did not end."""

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
}
"""parents: stages whose output it reads; null if the engine does not report them. tasks: number of tasks of the attempt. end: null if it did not end. failure: empty without one."""

TASKS = {
    "app": polars.String,
    "stage": polars.Int64,
    "attempt": polars.Int64,
    "task": polars.Int64,
    "index": polars.Int64,
    "try": polars.Int64,
    "executor": polars.String,
    "host": polars.String,
    "locality": polars.String,
    "speculative": polars.Boolean,
    "begin": polars.Float64,
    "end": polars.Float64,
    "ok": polars.Boolean,
    "reason": polars.String,
    "failure": polars.String,
    "run_ms": polars.Int64,
    "cpu_ns": polars.Int64,
    "deserialize_ms": polars.Int64,
    "deserialize_cpu_ns": polars.Int64,
    "serialize_ms": polars.Int64,
    "scheduler_ms": polars.Int64,
    "gc_ms": polars.Int64,
    "fetch_wait_ms": polars.Int64,
    "remote_bytes": polars.Int64,
    "local_bytes": polars.Int64,
    "remote_blocks": polars.Int64,
    "local_blocks": polars.Int64,
    "shuffle_write_bytes": polars.Int64,
    "shuffle_write_records": polars.Int64,
    "shuffle_write_ns": polars.Int64,
    "memory_spill_bytes": polars.Int64,
    "disk_spill_bytes": polars.Int64,
    "input_bytes": polars.Int64,
    "input_records": polars.Int64,
    "output_bytes": polars.Int64,
    "output_records": polars.Int64,
    "peak_memory_bytes": polars.Int64,
}
"""index: partition's position in the stage. try: 0 for the first try of an index. reason: Success or the engine's name
for the failure; failure: its message. Units are in the names; a lost task has zeros."""


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

    @property
    def found(self) -> bool:
        """Whether there are any."""
        return self.applications.height > 0 or self.tasks.height > 0


def table(rows: Iterable[Mapping[str, Any]], schema: Mapping[str, Any]) -> polars.DataFrame:
    """Rows in the columns of a table; missing values are null."""
    return polars.DataFrame([{**dict.fromkeys(schema), **row} for row in rows], dict(schema))


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
            for name in ("applications", "executors", "jobs", "stages", "tasks")
        },
        gaps=[gap for metrics in all_metrics for gap in metrics.gaps],
    )
