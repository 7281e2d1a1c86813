"""How many empty tasks an engine's scheduler starts: a run of its own, with a record like any other."""

from typing import Any

from weft.analysis.read import resolved
from weft.analysis.read.calibration import Measured, SchedulerRates
from weft.errors import UsageError, WorkloadError
from weft.facts import engines, logs
from weft.facts.jobmetrics import JobMetrics
from weft.run.progress import Progress
from weft.run.run import run
from weft.spec.parse import parse
from weft.text.toml import toml_of


def scheduler(engine: str, nodes: str, progress: Progress) -> SchedulerRates:
    """Start an engine on nodes, and measure. Raises UsageError for an engine without such a workload."""
    kind = engine.partition(":")[0].partition(",")[0]
    empty, log = engines.of(kind).empty_job, logs.of(kind)
    if not empty or log is None:
        offered = ", ".join(name for name, facts in engines.ALL.items() if facts.empty_job)
        raise UsageError(f"no workload of empty tasks runs on {engine!r}", hint=f"choose {offered}")
    table: dict[str, Any] = {"workload": dict(empty), "engine": engine, "nodes": nodes}
    stored = run(parse(table), toml_of(table, {}), progress)
    directory = stored.folder / "engine"
    slots = resolved.of_record(stored).slots or 1
    by = f"{empty['kind']} in {stored.directory.name}"
    return rate(kind, slots, log.read(directory), by)


def rate(engine: str, slots: int, metrics: JobMetrics, source: str) -> SchedulerRates:
    """Tasks per second between the first begin and the last end of a job's tasks."""
    tasks = metrics.tasks.drop_nulls(["begin", "end"])
    begin, end = tasks["begin"].min(), tasks["end"].max()
    if not isinstance(begin, float) or not isinstance(end, float) or end <= begin:
        raise WorkloadError(f"{engine} left no times of its tasks in {source}")
    per_second = Measured(value=tasks.height / (end - begin), source=f"{tasks.height} tasks of {source}")
    return SchedulerRates(engine=engine, slots=slots, tasks_per_second=per_second)
