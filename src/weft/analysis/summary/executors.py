"""What each executor did: its tasks, their time, and from where they read."""

from collections.abc import Mapping
from typing import Any

import polars

from weft.analysis.summary.summary import ExecutorRow
from weft.facts import executorslots
from weft.facts.jobmetrics import JobMetrics

MOST = 32
"""Executors that are shown: those with most task time."""
_KEYS = ["app", "executor"]


def executors(
    metrics: JobMetrics, begin: float, nodes: Mapping[str, str], most: int = MOST
) -> tuple[tuple[ExecutorRow, ...], int]:
    """The executors with most task time, and how many others there were. `nodes`: a node's name by what the engine calls it."""
    listed = metrics.executors.with_columns(slots=executorslots.of_executors())
    found = listed.join(_of_tasks(metrics), on=_KEYS, how="left").sort(
        "run_ms", "executor", descending=[True, False], nulls_last=True
    )
    rows = tuple(_row(row, begin, nodes) for row in found.head(most).iter_rows(named=True))
    return rows, max(0, found.height - most)


def _of_tasks(metrics: JobMetrics) -> polars.DataFrame:
    """Sums over the tasks of each executor; bytes are those of successful ones."""
    ok = polars.col("ok")
    known = [
        polars.when(polars.col(name).count() > 0).then(polars.col(name).sum()).alias(name)
        for name in ("cpu_ns", "gc_ms")
    ]
    sums = [polars.col(name).filter(ok).sum() for name in ("local_bytes", "input_bytes")]
    remote = polars.col("remote_bytes").filter(ok)
    sums.append(polars.when(remote.count() > 0).then(remote.sum()).alias("remote_bytes"))
    figures = [ok.sum().alias("done"), (~ok).sum().alias("failed"), polars.col("run_ms").sum()]
    text = [polars.col(name).cast(polars.String) for name in _KEYS]
    return metrics.every.group_by(_KEYS).agg(*figures, *known, *sums).collect().with_columns(text)


def _row(row: Mapping[str, Any], begin: float, nodes: Mapping[str, str]) -> ExecutorRow:
    host = str(row["host"] or "")
    times = {name: row[key] for name, key in (("begin", "added"), ("end", "removed"))}
    return ExecutorRow(
        executor=str(row["executor"]),
        node=nodes.get(host, host),
        slots=row["slots"],
        **{name: None if at is None else round(at - begin, 3) for name, at in times.items()},
        reason=row["reason"] or "",
        done=row["done"] or 0,
        failed=row["failed"] or 0,
        task_seconds=(row["run_ms"] or 0) / 1e3,
        cpu=None if row["cpu_ns"] is None else row["cpu_ns"] / 1e9,
        gc=None if row["gc_ms"] is None else row["gc_ms"] / 1e3,
        shuffle_local=None if row["remote_bytes"] is None else row["local_bytes"],
        shuffle_remote=row["remote_bytes"],
        input=row["input_bytes"] or 0,
    )
