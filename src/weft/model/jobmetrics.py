"""What an engine measured of its own jobs, in tables that every engine fills: what each column is, and in what unit."""

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
"""begin, end: seconds since the epoch, as all times below; null where the engine does not report it."""

EXECUTORS = {
    "app": polars.String,
    "executor": polars.String,
    "host": polars.String,
    "cores": polars.Int64,
    "added": polars.Float64,
    "removed": polars.Float64,
    "reason": polars.String,
}
"""reason: why it was removed, in the engine's words."""

JOBS = {
    "app": polars.String,
    "job": polars.Int64,
    "begin": polars.Float64,
    "end": polars.Float64,
    "failure": polars.String,
}
"""failure: empty where the job succeeded; null where it did not end."""

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
"""parents: stages whose output it reads; null where the account does not say. tasks: how many the attempt was to run. end: null where it did not end. failure: empty where there was none."""

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
"""index: partition's place in the stage. try: 0 for the first try of an index. reason: Success or the engine's word
for the failure; failure: its text. Units are in the names; a task that was lost has zeros."""


@dataclass
class JobMetrics:
    """The tables of one or several engines; what an engine does not report is null."""

    applications: polars.DataFrame
    executors: polars.DataFrame
    jobs: polars.DataFrame
    stages: polars.DataFrame
    tasks: polars.DataFrame
    gaps: list[str] = field(default_factory=list)
    """What could not be read, as text."""

    @property
    def found(self) -> bool:
        """Whether an engine left any."""
        return self.applications.height > 0 or self.tasks.height > 0


def table(rows: Iterable[Mapping[str, Any]], schema: Mapping[str, Any]) -> polars.DataFrame:
    """Rows in the columns of a table; what a row does not have is null."""
    return polars.DataFrame([{**dict.fromkeys(schema), **row} for row in rows], dict(schema))


def empty() -> JobMetrics:
    """Those of an engine that left none."""
    return JobMetrics(
        table([], APPLICATIONS), table([], EXECUTORS), table([], JOBS), table([], STAGES), table([], TASKS)
    )


def joined(all_metrics: Sequence[JobMetrics]) -> JobMetrics:
    """Those of several engines together: applications have names of their own."""
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
