"""How many empty tasks an engine's scheduler starts: a run of its own, with a record like any other."""

from collections.abc import Mapping
from typing import Any

from weft.errors import UsageError, WorkloadError
from weft.model import eventlog, flinkjobs, jobhistory
from weft.model.calibration import Measured, SchedulerRates
from weft.model.jobmetrics import JobMetrics
from weft.run.progress import Progress
from weft.run.run import run
from weft.spec.parse import parse
from weft.text.toml import toml_of

_EMPTY: Mapping[str, Mapping[str, Any]] = {
    "spark": {"kind": "scheduling-throughput", "tasks": 2000},
    "hadoop": {"kind": "pi", "points": 1000, "tasks": 16},
    "flink": {"kind": "pi", "points": 1000},
}
"""By engine: the workload whose tasks do least, and how many make a rate that repeats."""


def scheduler(engine: str, nodes: str, progress: Progress) -> SchedulerRates:
    """Start an engine on nodes, and measure. Raises UsageError for an engine without such a workload."""
    kind = engine.partition(":")[0].partition(",")[0]
    if kind not in _EMPTY:
        raise UsageError(f"no workload of empty tasks runs on {engine!r}", hint=f"choose {', '.join(_EMPTY)}")
    table: dict[str, Any] = {"workload": dict(_EMPTY[kind]), "engine": engine, "nodes": nodes}
    stored = run(parse(table), toml_of(table, {}), progress)
    directory = stored.directory / "engine"
    readers = [reader for reader in (eventlog, jobhistory, flinkjobs) if reader.found(directory)]
    slots = stored.json("resolved.json")["derived"].get("slots", "1")
    by = f"{_EMPTY[kind]['kind']} in {stored.directory.name}"
    return rate(kind, int(slots), readers[0].read(directory), by)


def rate(engine: str, slots: int, metrics: JobMetrics, source: str) -> SchedulerRates:
    """Tasks per second between the first begin and the last end of a job's tasks."""
    tasks = metrics.tasks.drop_nulls(["begin", "end"])
    begin, end = tasks["begin"].min(), tasks["end"].max()
    if not isinstance(begin, float) or not isinstance(end, float) or end <= begin:
        raise WorkloadError(f"{engine} left no times of its tasks in {source}")
    per_second = Measured(value=tasks.height / (end - begin), source=f"{tasks.height} tasks of {source}")
    return SchedulerRates(engine=engine, slots=slots, tasks_per_second=per_second)
