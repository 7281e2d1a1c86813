"""The engine's job metrics as rows of a summary."""

from typing import Any

import polars

from weft.analysis.explain import stages as model
from weft.analysis.summary.summary import StageRow, TaskRow, Usage
from weft.facts.jobmetrics import JobMetrics

MOST_STAGES = 60
"""Maximum number of stages on a page; further ones are omitted."""
_SLOWEST = 10


def version(metrics: JobMetrics) -> str:
    """The engine's version, as it reports it."""
    found = metrics.applications["version"].drop_nulls()
    return str(found[0]) if len(found) else ""


def stages(metrics: JobMetrics, begin: float) -> tuple[StageRow, ...]:
    """Every stage attempt, in the order they began."""
    return tuple(_stage(row, begin) for row in model.table(metrics).iter_rows(named=True))


def _stage(row: dict[str, Any], begin: float) -> StageRow:
    at, end = row["begin"], row["end"]
    return StageRow(
        stage=row["stage"],
        attempt=row["attempt"],
        name=row["name"],
        begin=None if at is None else round(at - begin, 3),
        seconds=None if at is None or end is None else round(end - at, 3),
        tasks=row["tasks"],
        done=row["done"],
        failed=row["failed"],
        median=row["median_s"],
        p95=row["p95_s"],
        longest=row["longest_s"],
        skew=row["skew"],
        task_seconds=row["task_s"] or 0.0,
        cpu_share=row["cpu_share"],
        gc_share=row["gc_share"],
        fetch_share=row["fetch_share"],
        disk_spill=row["disk_spill_bytes"] or 0,
        shuffle_read=row["shuffle_read_bytes"] or 0,
        shuffle_remote=row["shuffle_remote_bytes"] or 0,
        shuffle_write=row["shuffle_write_bytes"] or 0,
        input=row["input_bytes"] or 0,
        output=row["output_bytes"] or 0,
        failure=row["failure"],
    )


def slowest(metrics: JobMetrics) -> tuple[TaskRow, ...]:
    """The longest tasks."""
    return tuple(
        TaskRow(
            stage=row["stage"],
            attempt=row["attempt"],
            index=row["index"],
            host=row["host"] or "",
            executor=row["executor"] or "",
            seconds=row["run_ms"] / 1e3,
            times_median=row["times_median"],
            cpu=(row["cpu_ns"] or 0) / 1e9,
            gc=(row["gc_ms"] or 0) / 1e3,
            fetch_wait=(row["fetch_wait_ms"] or 0) / 1e3,
            disk_spill=row["disk_spill_bytes"] or 0,
            shuffle_read=row["remote_bytes"] + row["local_bytes"],
            input=row["input_bytes"] or 0,
        )
        for row in model.slowest(metrics, _SLOWEST).iter_rows(named=True)
    )


def usage(metrics: JobMetrics) -> Usage | None:
    """How executors' slots were used, each from its start until it was removed or the last task ended."""
    used = ("begin", "end", "run_ms", "cpu_ns", "gc_ms", "fetch_wait_ms")
    tasks = metrics.tasks.select(used)
    if tasks["run_ms"].null_count():
        tasks = tasks.filter(polars.col("run_ms").is_not_null())
    if tasks["cpu_ns"].count() == 0 or metrics.executors.is_empty():
        return None
    end: Any = tasks["end"].max()
    alive = metrics.executors.with_columns(
        polars.min_horizontal(polars.col("removed").fill_null(end), polars.lit(end)).alias("until")
    )
    offered = ((alive["until"] - alive["added"]).clip(lower_bound=0) * alive["cores"]).sum()
    slots = int(metrics.executors["cores"].sum() or 0)
    return Usage(
        slots=slots,
        slot_seconds=float(offered or 0),
        task_seconds=float((tasks["end"] - tasks["begin"]).sum()),
        cpu_seconds=float(tasks["cpu_ns"].sum()) / 1e9,
        gc_seconds=float(tasks["gc_ms"].sum()) / 1e3,
        fetch_seconds=float(tasks["fetch_wait_ms"].sum()) / 1e3,
    )
