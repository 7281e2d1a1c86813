"""Losses and repeated work, from the engine's job metrics, as sentences."""

from collections.abc import Iterator
from typing import Any

import polars

from weft.facts.ending import first_line
from weft.facts.jobmetrics import LOST_EXECUTOR, LOST_OUTPUT, JobMetrics

_FETCH = "FetchFailed"
_KILLED, _DENIED = "TaskKilled", "TaskCommitDenied"
"""What Spark does to copies of tasks: another one was first."""
_GIVEN_BACK = "^(Executor killed by driver|Executor decommission|Finished decommissioning)"
"""Why Spark removed an executor that it, or its cluster, no longer wanted (ExecutorLossReason.scala)."""


def sentences(metrics: JobMetrics) -> list[str]:
    """Lost executors, failed fetches of blocks, and stages and tasks that were repeated or failed."""
    return [
        *_executors(metrics),
        *_fetches(metrics),
        *_stages(metrics),
        *_failures(metrics),
        *_speculation(metrics),
        *(
            f"job {row['job']} failed: {first_line(row['failure'])}"
            for row in metrics.jobs.filter(polars.col("failure") != "").iter_rows(named=True)
        ),
    ]


def count(number: int, noun: str) -> str:
    """1 task, 2 tasks."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def lost_executors(metrics: JobMetrics) -> polars.DataFrame:
    """Rows of `jobmetrics.EXECUTORS` removed before their application ended, in order; not those that were given back in time."""
    ends = metrics.applications.select("app", polars.col("end").alias("app_end"))
    missed = _repeated(metrics).select("app", "executor", missed=True).unique()
    given_back = polars.col("reason").fill_null("").str.contains(_GIVEN_BACK) & polars.col("missed").is_null()
    removed = metrics.executors.join(ends, on="app", how="left").filter(
        polars.col("removed").is_not_null()
        & (polars.col("app_end").is_null() | (polars.col("removed") < polars.col("app_end")))
    )
    found = removed.join(missed, on=["app", "executor"], how="left").filter(~given_back)
    return found.sort("removed")


def _repeated(metrics: JobMetrics) -> polars.DataFrame:
    """The tasks that had to be repeated because their executor was lost, each once."""
    again = metrics.every.filter(polars.col("reason").is_in([LOST_EXECUTOR, LOST_OUTPUT]))
    names = [polars.col(name).cast(polars.String) for name in ("app", "executor")]
    return again.select(*names, "stage", "index").unique().collect()


def _executors(metrics: JobMetrics) -> Iterator[str]:
    lost = _repeated(metrics)
    for row in lost_executors(metrics).iter_rows(named=True):
        tasks = lost.filter((polars.col("app") == row["app"]) & (polars.col("executor") == row["executor"]))
        text = f"executor {row['executor']} on {row['host']} was lost ({_reason(row['reason'])})"
        yield (
            f"{text}: {count(tasks.height, 'task')} had to be repeated"
            if tasks.height
            else f"{text}: none of its tasks was running"
        )


def _reason(text: str | None) -> str:
    line = first_line(text)
    return line[0].lower() + line[1:].rstrip(".") if line else "no reason given"


def _fetches(metrics: JobMetrics) -> Iterator[str]:
    for _, stage, tasks, failure in _grouped(metrics, polars.col("reason") == _FETCH, "app", "stage"):
        yield f"{count(tasks, 'task')} of stage {stage} could not fetch shuffle blocks: {first_line(failure)}"


def _grouped(metrics: JobMetrics, which: polars.Expr, *keys: str) -> Iterator[tuple[Any, ...]]:
    """The keys of some tasks, how many have them, and the first one's message."""
    figures = (polars.len().alias("tasks"), polars.col("failure").first())
    found = metrics.every.filter(which).group_by(keys, maintain_order=True).agg(figures)
    return found.collect().iter_rows()


def _stages(metrics: JobMetrics) -> Iterator[str]:
    for row in metrics.stages.filter(polars.col("attempt") > 0).sort("begin").iter_rows(named=True):
        yield (
            f"stage {row['stage']} ({row['name']}) was repeated, attempt {row['attempt'] + 1}:"
            f" {count(row['tasks'], 'task')} repeated"
        )


def _failures(metrics: JobMetrics) -> Iterator[str]:
    known = [LOST_EXECUTOR, LOST_OUTPUT, _FETCH, _KILLED, _DENIED, ""]
    others = ~polars.col("ok") & ~polars.col("reason").is_in(known)
    for _, stage, reason, tasks, failure in _grouped(metrics, others, "app", "stage", "reason"):
        yield f"{count(tasks, 'task')} of stage {stage} failed: {first_line(failure) or reason}"


def _speculation(metrics: JobMetrics) -> Iterator[str]:
    speculative = metrics.every.filter(polars.col("speculative"))
    tasks, won = speculative.select(polars.len(), polars.col("ok").sum().alias("won")).collect().row(0)
    if tasks:
        yield f"{count(tasks, 'task')} ran speculatively; {won} of them finished first"
