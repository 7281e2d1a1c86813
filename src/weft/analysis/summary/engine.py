"""The engine's job metrics as rows of a summary."""

from typing import Any

import polars

from weft.analysis.explain import stages as model
from weft.analysis.summary.summary import StageRow, TaskRow, Usage
from weft.facts import executorslots
from weft.facts.jobmetrics import JobMetrics

MOST_STAGES = 60
"""Maximum number of stages on a page; further ones are omitted."""
_SLOWEST = 10


def version(metrics: JobMetrics) -> str:
    """The engine's version, as it reports it."""
    found = metrics.applications["version"].drop_nulls()
    return str(found[0]) if len(found) else ""


def application(metrics: JobMetrics) -> str:
    """What the application calls itself."""
    found = metrics.applications["name"].drop_nulls()
    return str(found[0]) if len(found) else ""


def stages(metrics: JobMetrics, begin: float) -> tuple[StageRow, ...]:
    """Every stage attempt, in the order they began."""
    return tuple(_stage(row, begin) for row in model.table(metrics).iter_rows(named=True))


def _stage(row: dict[str, Any], begin: float) -> StageRow:
    at, end = row["begin"], row["end"]
    known = {key: row[key] for key in StageRow.model_fields if row.get(key) is not None}
    known["begin"] = None if at is None else round(at - begin, 3)
    known["seconds"] = None if at is None or end is None else round(end - at, 3)
    return StageRow(**known)


def slowest(metrics: JobMetrics) -> tuple[TaskRow, ...]:
    """The longest tasks."""
    return tuple(
        TaskRow(
            **{key: row[key] for key in ("stage", "attempt", "index", "times_median")},
            **{key: row[key] or "" for key in ("host", "executor")},
            **{key: row[f"{key}_bytes"] or 0 for key in ("disk_spill", "input")},
            **{key: (row[f"{key}_ms"] or 0) / 1e3 for key in ("gc", "fetch_wait")},
            seconds=row["run_ms"] / 1e3,
            cpu=None if row["cpu_ns"] is None else row["cpu_ns"] / 1e9,
            shuffle_read=(row["remote_bytes"] or 0) + (row["local_bytes"] or 0),
        )
        for row in model.slowest(metrics, _SLOWEST).iter_rows(named=True)
    )


def usage(metrics: JobMetrics) -> Usage | None:
    """How executors' slots were used, each from its start until it was removed or the last task ended."""
    sums = (
        metrics.every.filter(polars.col("run_ms").is_not_null())
        .select(
            polars.col("end").max(),
            (polars.col("end") - polars.col("begin")).sum().alias("held"),
            polars.col("cpu_ns").count().alias("known"),
            *(polars.col(name).sum() for name in ("cpu_ns", "gc_ms", "fetch_wait_ms")),
        )
        .collect()
        .row(0, named=True)
    )
    if not sums["known"] or metrics.executors.is_empty():
        return None
    end = sums["end"]
    alive = metrics.executors.with_columns(
        polars.min_horizontal(polars.col("removed").fill_null(end), polars.lit(end)).alias("until"),
        slots=executorslots.of_executors(),
    )
    offered = ((alive["until"] - alive["added"]).clip(lower_bound=0) * alive["slots"]).sum()
    slots = max((count for _, count in executorslots.steps(metrics)), default=0)
    return Usage(
        slots=slots,
        slot_seconds=float(offered or 0),
        task_seconds=float(sums["held"]),
        cpu_seconds=float(sums["cpu_ns"]) / 1e9,
        gc_seconds=float(sums["gc_ms"]) / 1e3,
        fetch_seconds=float(sums["fetch_wait_ms"]) / 1e3,
    )
