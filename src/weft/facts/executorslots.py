"""Slots of a job's executors over time, by the engine's own events."""

import polars

from weft.facts.jobmetrics import JobMetrics


def dynamic(metrics: JobMetrics) -> bool:
    """Whether an application's executors come and go as it needs them."""
    return bool(metrics.applications["dynamic"].fill_null(value=False).any())


def of_executors() -> polars.Expr:
    """Of each row of EXECUTORS: tasks that it runs at one time."""
    return polars.coalesce("slots", "cores")


def steps(metrics: JobMetrics) -> list[tuple[float, int]]:
    """From when on there were how many, in order of time (seconds since the epoch); one that ends as another begins does not overlap it."""
    spans = metrics.executors.select(
        begin=polars.col("added").fill_null(0.0), end=polars.col("removed"), count=of_executors()
    ).drop_nulls(["begin", "count"])
    changes = polars.concat(
        [
            spans.select(t="begin", step="count"),
            spans.drop_nulls("end").select(t="end", step=-polars.col("count")),
        ]
    ).sort("t", "step")
    counts = changes.select("t", polars.col("step").cum_sum())
    return [(float(t), max(0, int(count))) for t, count in counts.iter_rows()]


def configured(metrics: JobMetrics, cores: int) -> int:
    """Of so many cores that the run has: fewer slots where a task takes several. Executors that never came had theirs, too.

    An application that asked for fewer cores has no slot on the others, and whole executors only.
    """
    known = metrics.executors.select("cores", slots=of_executors()).drop_nulls()
    if metrics.applications.height == 1 and (limit := metrics.applications["most_cores"].item()):
        each = known["cores"].unique()
        one = each.item() if each.len() == 1 and 0 < each.item() <= limit else 1
        cores = min(cores, limit // one * one)
    theirs, slots = int(known["cores"].sum()), int(known["slots"].sum())
    if slots >= theirs:
        return cores
    most = max((count for _, count in steps(metrics)), default=0)
    return max(cores * slots // theirs, min(cores, most))
